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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What {@code bin/replay} prints, and how it says what it cannot do. */
class ReplayITCase {

  private static final Mesh ONE = new Mesh(1, 1);

  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int replay(String arguments) {
    Replay replay = new Replay(directory, stream(out), stream(err));
    return new CommandLine(replay)
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .execute(arguments.split(" "));
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String told() {
    return err.toString(StandardCharsets.UTF_8);
  }

  /** A stream of one rank, in which each step says its number. */
  private void write(int steps) {
    write(steps, "This is step %d.");
  }

  private void write(int steps, String text) {
    Tokenizer tokenizer = new Tokenizer();
    TokenFormat format = new TokenFormat(16, 1, TokenWidth.U32, 0);
    try (ObjectStore store = Stores.open(directory.resolve("stream").toString(), Map.of());
        Producer producer = Producer.builder(create(store, SliceFormats.TOKENS), "test").build()) {
      for (int step = 0; step < steps; step++) {
        int[] tokens = tokenizer.encode(text.formatted(step));
        List<TokenSegment> sequence =
            tokens.length == 0
                ? List.of()
                : List.of(new TokenSegment(step, 0, IntBuffer.wrap(tokens)));
        Slice slice = new Slice(TokenSlice.encode(format, 0, List.of(sequence)), 1);
        producer.append(GlobalBatch.of(ONE, List.of(slice)), ByteString.EMPTY);
      }
    }
  }

  private static TrainingStream create(ObjectStore store, String format) {
    return TrainingStream.openOrCreate(store, StreamInfo.create(ONE, format));
  }

  @Test
  void someStepsAreShownInOrder() {
    write(4);
    assertThat(replay("stream 1 3")).as(this::told).isZero();
    assertThat(printed().lines())
        .containsExactly(
            "step 1 replica 0 chunk 0 sequence 0: 6 tokens of 1 document: This is step 1.",
            "step 2 replica 0 chunk 0 sequence 0: 6 tokens of 1 document: This is step 2.");
    assertThat(told()).isEmpty();
  }

  @Test
  void aSequenceWithoutTokensIsPadding() {
    write(1, "");
    assertThat(replay("stream 0 1")).as(this::told).isZero();
    assertThat(printed().strip()).isEqualTo("step 0 replica 0 chunk 0 sequence 0: only padding");
  }

  @Test
  void stepsBehindTheEndAreLeftOutAndItSaysSo() {
    write(2);
    assertThat(replay(directory.resolve("stream") + " 1 9")).as(this::told).isZero();
    assertThat(printed().lines()).singleElement().asString().contains("This is step 1.");
    assertThat(told()).isEqualToIgnoringNewLines("The stream ends before step 2.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stream",
        "stream 1",
        "stream a 3",
        "stream 1 b",
        "stream 1 2 3",
        "stream --x 1 2"
      })
  void aWrongLineIsAnsweredWithTheUsage(String line) {
    assertThat(replay(line)).isEqualTo(2);
    assertThat(told())
        .contains("Usage: bin/replay [--help] STREAM FROM TO")
        .doesNotContain("\tat ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream a 3", "stream 1 b", "stream -1 2", "stream 1.5 2"})
  void whatIsNoStepIsNamed(String line) {
    assertThat(replay(line)).isEqualTo(2);
    assertThat(told()).contains("is not the number of a step").contains("Usage: bin/replay");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stream 3 3", "stream 3 2"})
  void noStepsAtAllAreAWrongLineToo(String line) {
    assertThat(replay(line)).isEqualTo(2);
    assertThat(told()).contains("TO is more than FROM");
  }

  @Test
  void aStreamThatIsNotThereIsNamed() {
    assertThat(replay("nowhere 1 2")).isEqualTo(1);
    assertThat(told())
        .startsWith("bin/replay: There is no Lakestream stream at ")
        .contains(directory.resolve("nowhere").toString());
  }

  @Test
  void aStepThatIsNotThereIsToldWithThoseThatAre() {
    write(4);
    assertThat(replay("stream 4 5")).isEqualTo(1);
    assertThat(told()).startsWith("bin/replay: stream ").contains("holds steps 0 to 3, and not 4.");
  }

  @Test
  void slicesThatAreNoTokensAreRefused() {
    try (ObjectStore store = Stores.open(directory.resolve("stream").toString(), Map.of())) {
      create(store, SliceFormats.RECORDS);
    }
    assertThat(replay("stream 0 1")).isEqualTo(1);
    assertThat(told()).contains("'records'", "'tokens'", "bin/lakestream read");
  }
}
