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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {

  @TempDir Path directory;

  @Test
  void aSecondRunStartsFreshAndLeavesOtherFilesAlone() throws IOException {
    Workspace workspace = new Workspace(directory.resolve("new"));
    assertThat(workspace.prepare()).isFalse();
    Files.createDirectories(workspace.stream().resolve("data"));
    Files.writeString(workspace.stream().resolve("data/old"), "");
    Files.writeString(workspace.logs().resolve("job-1.log"), "");
    Path other = Files.writeString(workspace.root().resolve("note"), "mine");

    assertThat(workspace.prepare()).isTrue();
    assertThat(workspace.stream()).doesNotExist();
    assertThat(workspace.logs()).isEmptyDirectory();
    assertThat(other).hasContent("mine");
  }

  @Test
  void aDirectoryOfSomethingElseIsLeftAsItIs() throws IOException {
    Path precious = Files.createDirectories(directory.resolve("stream")).resolve("data");
    Files.writeString(precious, "mine");
    assertThatThrownBy(() -> new Workspace(directory).prepare())
        .isInstanceOf(QuickstartException.class)
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("--dir");
    assertThat(precious).hasContent("mine");
  }
}
