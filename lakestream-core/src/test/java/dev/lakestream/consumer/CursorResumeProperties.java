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

import static dev.lakestream.consumer.ReaderFixtures.EAGER;
import static dev.lakestream.consumer.ReaderFixtures.expected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.FaultPlan;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.RetryingStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class CursorResumeProperties {

  @Property(tries = 100)
  void anyChainOfSavesAndResumesReadsWhatAStraightRunReads(
      @ForAll @Size(min = 1, max = 8) List<@IntRange(min = 1, max = 6) Integer> bundles,
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 9) Integer> runs,
      @ForAll @IntRange(min = 1, max = 4) int prefetch,
      @ForAll @IntRange(min = 1, max = 400) int bytes) {
    WrittenStream written = WrittenStream.uneven(new MemoryStore(), new Mesh(2, 2));
    RankPosition rank = RankPosition.of(2, 2, 1, 0);
    ReaderSettings settings = EAGER.withPrefetch(prefetch, bytes);
    List<ByteBuffer> slices = new ArrayList<>();
    int published = 0;
    String cursor = "";
    for (int run : runs) {
      if (published < bundles.size()) {
        written.commit(bundles.get(published++)); // The stream grows between the runs.
      }
      try (RankReader reader =
          cursor.isEmpty()
              ? RankReader.open(written.stream(), rank, settings)
              : RankReader.resume(written.stream(), rank, Cursor.parse(cursor), settings)) {
        for (int i = 0; i < run && slices.size() < written.steps(); i++) {
          slices.add(reader.next().slice().bytes().duplicate());
        }
        cursor = reader.cursor().toText();
      }
    }
    assertThat(slices).isEqualTo(expected(0, slices.size(), 1, 0));
  }

  /** One leg of a chain: the job is started, reads some steps, and saves. */
  private record Leg(int dp, int cp, int steps) {}

  @Provide
  Arbitrary<List<Leg>> legs() {
    return Combinators.combine(
            Arbitraries.integers().between(1, 5),
            Arbitraries.of(1, 2, 4),
            Arbitraries.integers().between(0, 4))
        .as(Leg::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(5);
  }

  @Property(tries = 40)
  void anyChainOfResumesWithAnyMeshesReadsWhatTheStreamHoldsOnceInOrderWhateverTheStoreDoes(
      @ForAll @Size(min = 1, max = 5) List<@IntRange(min = 1, max = 4) Integer> replicas,
      @ForAll("legs") List<Leg> legs,
      @ForAll boolean rows,
      @ForAll @IntRange(min = 200, max = 4000) int bytes,
      @ForAll @IntRange(min = 1, max = 1000) int seed) {
    FaultyStore store = FaultyStore.inMemory();
    RecordStream stream =
        new RecordStream(store, (step, d, c) -> (int) (step * seed + d * 5 + c * 3) % 4);
    for (int dp : replicas) {
      stream.commit(new Mesh(dp, 1 + dp % 2), dp, 2);
    }
    store.install(FaultPlan.seeded(seed, 0.1));
    ObjectStore retrying =
        RetryingStore.around(store).backoff(Duration.ofMillis(1), Duration.ofMillis(2)).build();
    TrainingStream opened = TrainingStream.open(retrying);
    ReaderSettings settings =
        EAGER.withPrefetch(8, bytes).withMode(rows ? ReadMode.ROWS : ReadMode.BATCH);
    List<String> read = new ArrayList<>();
    String cursor = "";
    long row = 0;
    long step = 0;
    for (Leg leg : legs) {
      Mesh mesh = new Mesh(leg.dp(), leg.cp());
      String saved = cursor;
      try (RecordStream.Job job =
          new RecordStream.Job(
              mesh,
              p ->
                  saved.isEmpty()
                      ? RankReader.open(opened, p, settings)
                      : RankReader.resume(opened, p, Cursor.parse(saved), settings))) {
        for (int i = 0; i < leg.steps(); i++) {
          if (rows ? row + leg.dp() > stream.rows() : step >= stream.steps()) {
            break;
          }
          read.addAll(job.next());
          row += leg.dp();
          step++;
        }
        cursor = job.cursor().toText();
      }
    }
    assertThat(read).isEqualTo(rows ? stream.rows(0, row) : stream.steps(step));
  }
}
