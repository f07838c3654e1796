/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.lakestream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamLineageTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"s3://bucket/a/b", "s3a://bucket/a/b", "s3://bucket/a//b/", "S3n://bucket/a/b"})
  void oneStreamIsOneDatasetHoweverItIsSpelled(String address) {
    assertThat(
            StreamLineage.vertex(new StreamTarget(address, Map.of(), 0, 0, null, "", false))
                .datasets())
        .singleElement()
        .satisfies(dataset -> assertThat(dataset.namespace()).isEqualTo("s3://bucket/a/b"));
  }
}
