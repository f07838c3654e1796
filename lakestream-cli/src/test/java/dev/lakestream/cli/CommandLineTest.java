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

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {

  @TempDir Path directory;

  private String path() {
    return directory.resolve("stream").toString();
  }

  private WrittenStream written(String format, Mesh mesh, WrittenStream.Content content) {
    ObjectStore store = Stores.open(path(), Map.of("file.sync", "false"));
    return new WrittenStream(store, mesh, format, content);
  }

  private WrittenStream uneven() {
    return written("raw", new Mesh(2, 1), WrittenStream::unevenSlice);
  }

  private static Slice records(long step, int d, int c) {
    return new Slice(
        RecordSlice.encode(
            List.of(
                ByteBuffer.wrap(("step " + step + " says “hé”\n").getBytes(UTF_8)),
                ByteBuffer.wrap(new byte[] {(byte) 0xff, (byte) d, (byte) c}))),
        2);
  }

  private static Slice tokens(long step, int d, int c) {
    TokenFormat format = new TokenFormat(8, 2, TokenWidth.U32, 0);
    // "Hello world!" in cl100k_base, then another document, then padding.
    TokenSegment hello = new TokenSegment(41, 0, IntBuffer.wrap(new int[] {9906, 1917, 0}));
    TokenSegment other = new TokenSegment(42, 5, IntBuffer.wrap(new int[] {1917, 0}));
    return new Slice(TokenSlice.encode(format, c, List.of(List.of(hello, other))), 1);
  }

  private Run read(String... more) {
    List<String> args = new ArrayList<>(List.of("read", path()));
    args.addAll(List.of(more));
    return Run.of(args.toArray(String[]::new));
  }

  /** Every value of one field, wherever it stands. */
  private static List<String> values(String json, String field) throws IOException {
    List<String> found = new ArrayList<>();
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.FIELD_NAME && parser.currentName().equals(field)) {
          parser.nextToken();
          found.add(parser.getText());
        }
      }
    }
    return found;
  }

  @Test
  void aStreamIsCreatedOnce() {
    String[] create = {"create", path(), "--mesh", "2x4", "--slice-format", "tokens"};
    assertThat(Run.of(create).succeeded().out())
        .startsWith("Created stream ")
        .contains("tokens, mesh 2x4");
    Run again = Run.of(create);
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).contains("There is a stream at").contains("already");
    assertThat(Run.of("verify", path()).succeeded().out()).contains("INTACT at manifest 0");
    assertThat(Run.of("inspect", path(), "--what", "producers").succeeded().out())
        .contains("No producer");
  }

  @Test
  void inspectShowsWhatTheStreamIs() {
    WrittenStream stream = uneven().commit(3, 2).commit(4);
    String out = Run.of("inspect", path()).succeeded().out();
    assertThat(out.lines())
        .contains(
            "UUID       " + stream.stream().id(),
            "Slices     raw, mesh 2x1 by default",
            "Steps      0 … 8",
            "Rows       0 … 17",
            "Bundles    3 in the manifest",
            "Producers  1");
    assertThat(out).contains("Manifest   3 (append, ");
  }

  @Test
  void inspectShowsManifestsNewestFirst() {
    uneven().commit(3, 2).commit(4);
    List<String> lines =
        Run.of("inspect", path(), "--what", "manifests", "--limit", "3")
            .succeeded()
            .out()
            .lines()
            .toList();
    assertThat(lines.get(0)).startsWith("VERSION  PUBLISHED");
    assertThat(lines.get(1)).matches(" +3 .* append +0 … 8 +4 +3 .*");
    assertThat(lines.get(2)).matches(" +2 .* append +0 … 4 +5 +2 .*");
    assertThat(lines.get(3)).matches(" +1 .* takeover +none +0 +0 .*");
    assertThat(lines.get(4)).isEqualTo("… older ones with --from 0.");
  }

  @Test
  void inspectShowsBatchesFromAStepOn() throws IOException {
    WrittenStream stream = uneven().commit(3, 2).commit(1);
    List<String> lines =
        Run.of("inspect", path(), "--what", "batches", "--from", "4", "--limit", "1")
            .succeeded()
            .out()
            .lines()
            .toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).startsWith("3 … 4  2x1").contains("writer").endsWith(".bundle");
    assertThat(lines.get(2)).isEqualTo("… later ones with --from 5.");

    String json = Run.of("inspect", path(), "--what", "batches", "--json").succeeded().out();
    assertThat(values(json, "stream")).containsExactly(stream.stream().id().toString());
    assertThat(values(json, "firstRow")).containsExactly("0", "6", "10");
  }

  @Test
  void everyViewIsOneJsonObject() throws IOException {
    uneven().commit(2);
    for (String what : List.of("stream", "manifests", "batches", "producers")) {
      String json = Run.of("inspect", path(), "--what", what, "--json").succeeded().out();
      assertThat(values(json, "version")).as(what).isNotEmpty();
    }
    String json = Run.of("inspect", path(), "--what", "producers", "--json").succeeded().out();
    assertThat(values(json, "sequence")).containsExactly("1");
    assertThat(values(json, "job")).containsExactly("a test");
  }

  @Test
  void inspectShowsProducers() {
    uneven().commit(2).commit(3);
    List<String> lines =
        Run.of("inspect", path(), "--what", "producers").succeeded().out().lines().toList();
    assertThat(lines.get(1)).startsWith("writer    a test").contains("step 4");
  }

  @Test
  void readShowsRawSlicesInHexAndGivesTheirBytes() {
    written(
            "raw",
            new Mesh(1, 2),
            (step, d, c) -> Slice.of(("rank " + c + " of step " + step + "\n").getBytes(UTF_8), 1))
        .compressed(Compression.ZSTD)
        .commit(2, 3);
    assertThat(read("--step", "4", "--dp", "0", "--cp", "1").succeeded().out())
        .isEqualTo(
            """
            00000000  72 61 6e 6b 20 31 20 6f  66 20 73 74 65 70 20 34  |rank 1 of step 4|
            00000010  0a                                                |.|
            """);
    assertThat(read("--step", "0", "--dp", "0", "--cp", "0", "--format", "raw").succeeded().bytes())
        .isEqualTo("rank 0 of step 0\n".getBytes(UTF_8));
    Path file = directory.resolve("slice.txt");
    String[] toFile = {
      "--step", "3", "--dp", "0", "--cp", "0", "--format", "raw", "--out", file.toString()
    };
    read(toFile).succeeded();
    assertThat(file).hasContent("rank 0 of step 3\n");
    Run again = read(toFile);
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err()).contains("is not overwritten");
  }

  @Test
  void readShowsRecordsAsTextOrDigits() {
    written("records", new Mesh(1, 1), CommandLineTest::records).commit(1);
    assertThat(read("--step", "0", "--dp", "0", "--cp", "0").succeeded().out())
        .isEqualTo(
            """
            Slice (0, 0) of step 0: 2 records.
            0  22 B  step 0 says “hé”\\n
            1  3 B  0xff0000
            """);
  }

  @Test
  void readShowsTokensWithTheirDocuments() {
    written("tokens", new Mesh(1, 2), CommandLineTest::tokens).commit(1);
    assertThat(read("--step", "0", "--dp", "0", "--cp", "0").succeeded().out())
        .isEqualTo(
            """
            Slice (0, 0) of step 0: 1 sequence of 8 tokens; tokens 0 to 3 of each are here.

            sequence 0: 5 tokens and 3 of padding in 2 documents
              sample 41 from its token 0, 3 tokens
                  9906   1917      0
              sample 42 from its token 5, 1 token
                  1917
            """);
    assertThat(
            read("--step", "0", "--dp", "0", "--cp", "0", "--decode", "cl100k_base")
                .succeeded()
                .out())
        .contains("    Hello world!\n");
  }

  @Test
  void readSaysWhatThereIsInsteadOfWhatThereIsNot() {
    uneven().commit(3);
    Run beyond = read("--step", "3", "--dp", "0", "--cp", "0");
    assertThat(beyond.status()).isEqualTo(2);
    assertThat(beyond.err()).contains("Step 3").contains("holds steps 0 … 2");
    Run outside = read("--step", "1", "--dp", "2", "--cp", "0");
    assertThat(outside.status()).isEqualTo(2);
    assertThat(outside.err()).contains("no slice (2, 0) in a mesh of 2x1");
    Run format = read("--step", "1", "--dp", "0", "--cp", "0", "--format", "records");
    assertThat(format.status()).isEqualTo(2);
    assertThat(format.err()).contains("Slice (0, 0) of step 1").doesNotContain("\tat ");
    Run encoding = read("--step", "1", "--dp", "0", "--cp", "0", "--decode", "latin");
    assertThat(encoding.status()).isEqualTo(2);
    assertThat(encoding.err()).contains("Unknown encoding 'latin'").contains("cl100k_base");
  }

  @Test
  void aTrimmedStepNamesTheFirstOneHeld() {
    uneven().commit(2, 2).trim(2);
    Run run = read("--step", "1", "--dp", "0", "--cp", "0");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("first step still held is 2");
    assertThat(Run.of("inspect", path()).succeeded().out()).contains("those below 2 are reclaimed");
  }

  @Test
  void verifyEndsWithASentenceAndAStatus() throws IOException {
    WrittenStream stream = uneven().commit(4, 2).commit(1);
    Run intact = Run.of("verify", path()).succeeded();
    assertThat(intact.out()).endsWith("INTACT at manifest 3.\n").contains("3 bundles with 7 steps");
    Files.writeString(directory.resolve("stream/notes.txt"), "mine");
    assertThat(Run.of("verify", path(), "--quick").succeeded().out())
        .contains("NOTE   objects      notes.txt: ")
        .endsWith("INTACT at manifest 3, 1 note.\n");

    String object = stream.head().tail().get(0).bundle().object();
    Path bundle = directory.resolve("stream").resolve(object);
    byte[] bytes = Files.readAllBytes(bundle);
    bytes[bytes.length / 3] ^= 4;
    Files.write(bundle, bytes);
    Run damaged = Run.of("verify", path());
    assertThat(damaged.status()).isEqualTo(1);
    assertThat(damaged.out())
        .contains("ERROR  bundles      " + object)
        .endsWith("DAMAGED: 1 error, 1 note.\n");
    Run json = Run.of("verify", path(), "--json");
    assertThat(json.status()).isEqualTo(1);
    assertThat(values(json.out(), "severity")).containsExactlyInAnyOrder("error", "note");
    assertThat(values(json.out(), "intact")).containsExactly("false");
  }

  @Test
  void relativePathsCountFromWhereTheCommandWasCalled() {
    uneven().commit(1);
    Path relative = Path.of("").toAbsolutePath().relativize(directory.toAbsolutePath());
    Run.of("inspect", relative.resolve("stream").toString()).succeeded();
  }

  @Test
  void wrongOptionsAreAnsweredWithASuggestion() {
    Run option = read("--stpe", "1", "--dp", "0", "--cp", "0");
    assertThat(option.err()).contains("--step");
    Run value = read("--step", "1", "--dp", "0", "--cp", "0", "--formt", "hex");
    assertThat(value.err()).contains("Unknown option").contains("Possible solutions: --format");
    Run command = Run.of("inspct", path());
    assertThat(command.err()).contains("inspect");
    Run mesh = Run.of("create", path(), "--mesh", "2", "--slice-format", "raw");
    assertThat(mesh.err()).contains("'2' is not a mesh");
    Run format = Run.of("create", path(), "--mesh", "1x1", "--slice-format", "token");
    assertThat(format.err()).contains("Unknown slice format 'token'").contains("tokens");
    Run none = Run.of();
    assertThat(none.err()).contains("Which command?");
    for (Run run : List.of(option, value, command, mesh, format, none)) {
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.err()).doesNotContain("\tat ");
    }
    assertThat(directory.resolve("stream")).doesNotExist();
  }

  @Test
  void helpHasExamplesForEveryCommand() {
    assertThat(Run.of("--help").succeeded().out()).contains("Examples:").contains("verify");
    for (String command : List.of("inspect", "read", "verify", "create", "retire", "gc", "tag")) {
      assertThat(Run.of(command, "--help").succeeded().out())
          .contains("Examples:")
          .contains("  lakestream " + command + " ")
          .contains("--store-option");
    }
    assertThat(Run.of("--version").succeeded().out()).matches("lakestream [0-9].*\n");
  }

  @Test
  void aTakedownIsRehearsedAndThenDone() {
    written("records", new Mesh(2, 1), CommandLineTest::records).commit(2, 1);
    String[] takedown = {
      "takedown",
      path(),
      "--step",
      "1",
      "--dp",
      "1",
      "--cp",
      "0",
      "--record",
      "0",
      "--reason",
      "why"
    };
    assertThat(Run.of(takedown).succeeded().out())
        .contains("Would take out 1 record of 1 step, in 1 bundle:")
        .contains("Nothing was changed");
    assertThat(read("--step", "1", "--dp", "1", "--cp", "0").succeeded().out())
        .contains("step 1 says");
    String[] really = Arrays.copyOf(takedown, takedown.length + 1);
    really[takedown.length] = "--yes";
    assertThat(Run.of(really).succeeded().out())
        .contains("Took out 1 record of 1 step")
        .contains("'lakestream gc' deletes them");
    assertThat(read("--step", "1", "--dp", "1", "--cp", "0").succeeded().out())
        .doesNotContain("step 1 says");
    assertThat(read("--step", "1", "--dp", "0", "--cp", "0").succeeded().out())
        .contains("step 1 says");
    assertThat(Run.of("verify", path()).succeeded().out()).contains("INTACT");
  }

  @Test
  void aTakedownByIdLooksThroughAllSteps() {
    written("tokens", new Mesh(1, 2), CommandLineTest::tokens).commit(2, 1);
    String[] takedown = {"takedown", path(), "--sample-id", "41", "--reason", "why", "--yes"};
    assertThat(Run.of(takedown).succeeded().out()).contains("Took out 3 records of 3 steps");
    assertThat(Run.of(takedown).succeeded().out())
        .contains("There is nothing of sample 41 in steps 0 … 2.");
  }

  @Test
  void aTakedownThatSaysTooLittleOrTooMuchIsRefused() {
    written("records", new Mesh(2, 1), CommandLineTest::records).commit(1);
    assertThat(Run.of("takedown", path(), "--reason", "why").status()).isEqualTo(2);
    Run digest = Run.of("takedown", path(), "--sha256", "abc", "--reason", "why");
    assertThat(digest.status()).isEqualTo(2);
    assertThat(digest.err()).contains("\"abc\" is no SHA-256 digest");
    Run sample = Run.of("takedown", path(), "--sample-id", "41", "--reason", "why");
    assertThat(sample.status()).isEqualTo(2);
    assertThat(sample.err()).contains("has no sample ids");
  }
}
