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
package dev.lakestream.commit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.MemoryStore;
import java.util.List;

/** A stream that participants contend for, and the check that none of them lost anything. */
final class ContendedStream {

  final VirtualTime time = new VirtualTime();
  final MemoryStore memory = new MemoryStore("mem://test", time);
  final Chain chain = new Chain(memory, time); // manifest 0

  Participant participant(String id) {
    return new Participant(id, memory, time);
  }

  Participant participant(String id, Pacing pacing) {
    return new Participant(id, memory, time, pacing);
  }

  TrainingStream open() {
    return TrainingStream.open(memory, time);
  }

  void assertPublished(Participant... producers) {
    assertPublished(List.of(producers));
  }

  /** Every sequence of every producer is there once and in order, and nothing else. */
  void assertPublished(List<Participant> producers) {
    TrainingStream stream = open();
    Manifest head = stream.log().newest();
    List<BundleDescriptor> all = stream.history(head).bundles(0, Integer.MAX_VALUE);
    assertThat(all).hasSize((int) head.nextStep());
    assertThat(head.totalRecords()).isEqualTo(100 * head.nextStep());
    for (Participant producer : producers) {
      List<Long> sequences =
          all.stream()
              .filter(bundle -> bundle.producerId().equals(producer.id))
              .map(BundleDescriptor::sequence)
              .toList();
      assertThat(sequences).hasSize((int) producer.sequence()).isSorted().doesNotHaveDuplicates();
      assertThat(head.producer(producer.id).orElseThrow().currentLineage().sequence())
          .isEqualTo(producer.sequence());
    }
    assertThat(all).hasSize(producers.stream().mapToInt(p -> (int) p.sequence()).sum());
  }
}
