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
package dev.lakestream.retention;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.WrittenStream;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.FaultyStore;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A stream of records in memory, of which takedowns take some out. */
final class RedactedStream {

  static final Mesh MESH = new Mesh(2, 2);
  private static final int RECORDS = 3;

  final FaultyStore store = FaultyStore.inMemory();

  /** 45 commits of a bundle of one step and one of two: 135 steps, most of them sealed. */
  WrittenStream write() {
    WrittenStream written =
        new WrittenStream(store, MESH, "records", RedactedStream::slice)
            .compressed(Compression.ZSTD);
    for (int i = 0; i < 45; i++) {
      written.commit(1, 2);
    }
    assertThat(written.head().sealed()).isPresent();
    return written;
  }

  private static Slice slice(long step, int d, int c) {
    List<ByteBuffer> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      records.add(ByteBuffer.wrap(record(step, d, c, i).getBytes(UTF_8)));
    }
    return new Slice(RecordSlice.encode(records), RECORDS);
  }

  /** Record 2 of each tenth step is the same everywhere. */
  static String record(long step, int d, int c, int i) {
    return i == 2 && step % 10 == 0 ? "twin" : step + "/" + d + "/" + c + "/" + i;
  }

  static Takedown.Request request(long from, long to, Removal removal) {
    return new Takedown.Request(from, to, removal, "asked for by its author");
  }

  static Removal numbers(int d, int c, Integer... records) {
    return new Removal.Records(d, c, new TreeSet<>(List.of(records)));
  }

  Takedown takedown() {
    return new Takedown(TrainingStream.open(store), List.of());
  }

  /** What a rank reads from the step to the end of the stream, as it is now. */
  List<List<String>> read(int d, int c, long fromStep) {
    List<List<String>> steps = new ArrayList<>();
    try (RankReader reader = RankReader.open(store, new RankPosition(MESH, d, c))) {
      reader.seek(fromStep);
      for (long step = fromStep; step < 135; step++) {
        steps.add(
            RecordSlice.decode(reader.next().slice().bytes()).records().stream()
                .map(record -> UTF_8.decode(record).toString())
                .toList());
      }
    }
    return steps;
  }

  static List<List<String>> written(int d, int c) {
    List<List<String>> steps = new ArrayList<>();
    for (long step = 0; step < 135; step++) {
      long number = step;
      steps.add(
          new ArrayList<>(
              IntStream.range(0, RECORDS).mapToObj(i -> record(number, d, c, i)).toList()));
    }
    return steps;
  }

  void verifyIntact() {
    FullVerification.findsNoErrors(TrainingStream.open(store));
  }

  BundleDescriptor bundleOf(long step) {
    TrainingStream stream = TrainingStream.open(store);
    return stream.history(stream.log().newest()).bundleOf(step).orElseThrow();
  }

  static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
