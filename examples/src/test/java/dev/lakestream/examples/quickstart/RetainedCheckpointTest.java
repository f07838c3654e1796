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
package dev.lakestream.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetainedCheckpointTest {

  @TempDir Path directory;

  private void checkpoint(String name, boolean complete) throws IOException {
    Path folder = Files.createDirectories(directory.resolve("job").resolve(name));
    if (complete) {
      Files.writeString(folder.resolve("_metadata"), "");
    }
  }

  @Test
  void theNewestCompleteOneIsFoundByItsNumber() throws IOException {
    checkpoint("chk-9", true);
    checkpoint("chk-10", true);
    checkpoint("chk-11", false);
    checkpoint("shared", true);
    assertThat(RetainedCheckpoint.newest(directory))
        .contains(new RetainedCheckpoint(10, directory.resolve("job/chk-10")));
  }

  @Test
  void thereMayBeNone() throws IOException {
    checkpoint("chk-1", false);
    assertThat(RetainedCheckpoint.newest(directory)).isEmpty();
  }
}
