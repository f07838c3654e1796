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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ExactlyOnceITCase {

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(8)
              .build());

  @TempDir Path directory;

  @Test
  void everyElementArrivesOnceWhenTheJobFailsBetweenCheckpoints() throws Exception {
    String address = directory.resolve("stream").toUri().toString();
    Trap trap = Trap.at(60, 1);

    SinkJob.to(address)
        .count(100)
        .perCheckpoint(10)
        .middle(numbers -> numbers.map(trap))
        .sink(SinkJob::batches)
        .run();

    assertThat(trap.left()).isZero();
    StreamContents contents = StreamContents.of(address);
    assertThat(contents.texts()).containsExactlyInAnyOrderElementsOf(SinkJob.numbers(100));
    assertThat(contents.publications()).isGreaterThan(3);
  }
}
