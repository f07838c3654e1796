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
package dev.lakestream.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.store.ObjectStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A stream of records that say where they were written, whose mesh changes, and the ranks of a job
 * that read it together.
 */
final class RecordStream {

  /** How many records a slice holds. */
  @FunctionalInterface
  interface Counts {
    int of(long step, int d, int c);
  }

  private final WrittenStream written;
  private final Counts counts;
  private final List<Mesh> meshes = new ArrayList<>();

  RecordStream(ObjectStore store, Counts counts) {
    this.counts = counts;
    this.written = new WrittenStream(store, new Mesh(1, 1), "records", this::slice);
  }

  private Slice slice(long step, int d, int c) {
    List<ByteBuffer> records = new ArrayList<>();
    for (String record : records(step, d, c)) {
      records.add(ByteBuffer.wrap(record.getBytes(StandardCharsets.US_ASCII)));
    }
    return new Slice(RecordSlice.encode(records), records.size());
  }

  private List<String> records(long step, int d, int c) {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < counts.of(step, d, c); i++) {
      records.add(step + ":" + d + ":" + c + ":" + i);
    }
    return records;
  }

  /** Publishes bundles of so many steps each, for this mesh. */
  RecordStream commit(Mesh mesh, int... steps) {
    written.mesh(mesh);
    for (int tgbs : steps) {
      for (int k = 0; k < tgbs; k++) {
        meshes.add(mesh);
      }
    }
    written.commit(steps);
    return this;
  }

  WrittenStream written() {
    return written;
  }

  /** So many rows have been published. */
  long rows() {
    return meshes.stream().mapToInt(Mesh::dp).sum();
  }

  /** So many steps have been published. */
  long steps() {
    return meshes.size();
  }

  /** All records of rows {@code from} to {@code to}, in order. */
  List<String> rows(long from, long to) {
    List<String> all = new ArrayList<>();
    long row = 0;
    for (int step = 0; step < meshes.size(); step++) {
      for (int d = 0; d < meshes.get(step).dp(); d++, row++) {
        for (int c = 0; row >= from && row < to && c < meshes.get(step).cp(); c++) {
          all.addAll(records(step, d, c));
        }
      }
    }
    return all;
  }

  /** All records of the first steps, in order. */
  List<String> steps(long to) {
    return rows(0, meshes.subList(0, (int) to).stream().mapToInt(Mesh::dp).sum());
  }

  /** All ranks of a job of this mesh, from the first step on. */
  Job job(Mesh mesh, ReaderSettings settings) {
    return new Job(mesh, rank -> RankReader.open(written.stream(), rank, settings));
  }

  /** The same, from the cursor on. */
  Job job(Mesh mesh, Cursor from, ReaderSettings settings) {
    return new Job(mesh, rank -> RankReader.resume(written.stream(), rank, from, settings));
  }

  static List<String> records(RankStep step) {
    List<String> records = new ArrayList<>();
    for (ByteBuffer record : RecordSlice.decode(step.slice().bytes()).records()) {
      records.add(StandardCharsets.US_ASCII.decode(record).toString());
    }
    return records;
  }

  /** All ranks of a job. */
  static final class Job implements AutoCloseable {
    private final List<RankReader> ranks = new ArrayList<>();

    Job(Mesh mesh, Function<RankPosition, RankReader> open) {
      for (int d = 0; d < mesh.dp(); d++) {
        for (int c = 0; c < mesh.cp(); c++) {
          ranks.add(open.apply(new RankPosition(mesh, d, c)));
        }
      }
    }

    /** One consumer step of all ranks, in rank order. */
    List<String> next() {
      List<String> union = new ArrayList<>();
      ranks.forEach(rank -> union.addAll(records(rank.next())));
      return union;
    }

    /** Of all ranks, as one. */
    Cursor cursor() {
      Map<Integer, Cursor> cursors = new HashMap<>();
      for (int rank = 0; rank < ranks.size(); rank++) {
        cursors.put(rank, ranks.get(rank).cursor());
      }
      return Cursor.ofRanks(cursors, ranks.size());
    }

    /** No rank has a consumer step that it has not read. */
    void assertNothingMore() {
      ranks.forEach(RecordStream::assertNothingMore);
    }

    List<RankReader> ranks() {
      return ranks;
    }

    @Override
    public void close() {
      ranks.forEach(RankReader::close);
    }
  }

  /** The reader has read all there is; a store that takes its time to say so is asked again. */
  static void assertNothingMore(RankReader reader) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .ignoreException(ReadTimeoutException.class)
        .untilAsserted(() -> assertThat(reader.poll(Duration.ofMillis(5))).isEmpty());
  }
}
