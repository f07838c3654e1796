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

import static dev.lakestream.consumer.RankReaderTest.EAGER;
import static dev.lakestream.consumer.RankReaderTest.expected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.store.MemoryStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
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
}
