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
package dev.lakestream.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code read} on a stream that SQL wrote, of the slice that other readers are tested with. */
class ReadArrowTest {

  private static final Path GOLDEN = Path.of("..", "lakestream-python", "tests", "golden");

  @TempDir Path directory;

  private String stream(Slice slice) {
    String path = directory.resolve("stream").toString();
    try (ObjectStore store = Stores.open(path, Map.of("file.sync", "false"))) {
      new WrittenStream(store, new Mesh(1, 1), SliceFormats.ARROW, (step, d, c) -> slice).commit(1);
    }
    return path;
  }

  private static Run read(String path, String... more) {
    String[] args = {"read", path, "--step", "0", "--dp", "0", "--cp", "0"};
    String[] all = Arrays.copyOf(args, args.length + more.length);
    System.arraycopy(more, 0, all, args.length, more.length);
    return Run.of(all);
  }

  @Test
  void theRowsOfATableAreShownByTheSchemaInTheSlice() throws IOException {
    byte[] golden = Files.readAllBytes(GOLDEN.resolve("rows.arrow"));
    Run run = read(stream(Slice.of(golden, 4))).succeeded();
    assertThat(run.out().lines().toList())
        .hasSize(5)
        .satisfies(
            lines -> {
              assertThat(lines.get(0)).isEqualTo("Slice (0, 0) of step 0: 4 records.");
              assertThat(lines.get(1))
                  .startsWith("0  id=1  caption=\"a cat\"  image=0x00ff  score=0.5  kept=true")
                  .contains("tags=[1, null, 3]")
                  .contains("box={x=7, y=\"é\"}");
              assertThat(lines.get(3)).startsWith("2  id=3  caption=\"a cat\"  image=0x  ");
              assertThat(lines.get(4)).startsWith("3  id=-4  caption=null  image=null  ");
            });
    assertThat(read(directory.resolve("stream").toString(), "--format", "raw").bytes())
        .isEqualTo(golden);
  }

  @Test
  void anEmptySliceHasNoRows() {
    assertThat(read(stream(Slice.of(new byte[0], 0))).succeeded().out())
        .isEqualTo("Slice (0, 0) of step 0: 0 records.\n");
  }

  @Test
  void whatIsNoArrowIsToldInASentence() {
    Run run = read(stream(Slice.of("some text".getBytes(UTF_8), 1)));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("lakestream: Slice (0, 0) of step 0 is not an Arrow stream.\n");
  }

  @Test
  void aStreamOfATableIsNotMadeHere() {
    Run run = Run.of("create", "x", "--mesh", "1x1", "--slice-format", "arrow");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("CREATE TABLE in SQL makes it");
  }
}
