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
package dev.lakestream.consumer.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TopologyVectorsTest {

  private static final Path FILE =
      Path.of("src/test/resources/dev/lakestream/consumer/topology-vectors.json");

  /** {@code -Dlakestream.vectors=write} makes the file anew; look at the difference. */
  @Test
  void theFileOfVectorsIsWhatTheseFunctionsGive() throws IOException {
    String text = TopologyVectors.text();
    if ("write".equals(System.getProperty("lakestream.vectors"))) {
      Files.createDirectories(FILE.getParent());
      Files.writeString(FILE, text);
    }
    assertThat(Files.readAllLines(FILE)).isEqualTo(text.lines().toList());
  }

  @Test
  void everyRefusalHasItsVector() {
    String text = TopologyVectors.text();
    for (Refusal refusal : Refusal.values()) {
      assertThat(text).contains("\"" + refusal + "\"");
    }
  }
}
