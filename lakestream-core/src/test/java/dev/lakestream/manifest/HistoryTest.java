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
package dev.lakestream.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lookups in long histories; short ones of every shape are in {@link ManifestProperties}. */
class HistoryTest {

  private static final int BUNDLES = 30_000;

  private final MemoryStore memory = new MemoryStore();
  private final FaultyStore store = new FaultyStore(memory, new VirtualTime());
  private final RandomHistory past = new RandomHistory(memory, 42);

  @Test
  void everyBundleOfALongHistoryIsFoundWithFewReads() {
    grow(BUNDLES);
    History warm = new History(new Segments(store, past.streamId), past.head());
    for (BundleDescriptor bundle : past.appended) {
      assertThat(warm.bundleOf(bundle.firstStep())).contains(bundle);
      assertThat(warm.bundleOf(bundle.nextStep() - 1)).contains(bundle);
    }
    assertThat(warm.bundleOf(past.head().nextStep())).isEmpty();

    // depth of the tree: the root, at most one level for each digit in base 16, the leaf
    int leaves = BUNDLES / (TrainingStream.MAX_TAIL - TrainingStream.KEPT_TAIL);
    int deepest = 2 + (int) Math.ceil(Math.log(leaves) / Math.log(Segments.FAN_OUT));
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      long step = random.nextLong(past.head().nextStep());
      store.log().clear();
      History cold = new History(new Segments(store, past.streamId), past.head());
      assertThat(cold.bundleOf(step)).contains(past.bundleOf(step));
      assertThat(store.log().count()).isLessThanOrEqualTo(deepest);
    }
  }

  @Test
  void recentStepsNeedNoRead() {
    grow(1000);
    store.log().clear();
    History cold = new History(new Segments(store, past.streamId), past.head());
    assertThat(cold.bundles(past.head().tailFirstStep(), 1000)).isEqualTo(past.head().tail());
    assertThat(store.log().count()).isZero();
  }

  @Test
  void aRunOfBundlesComesInOrderAcrossSegments() {
    grow(5000);
    History history = new History(new Segments(store, past.streamId), past.head());
    assertThat(history.bundles(0, Integer.MAX_VALUE)).isEqualTo(past.appended);
    Random random = new Random(2);
    for (int i = 0; i < 50; i++) {
      int from = random.nextInt(past.appended.size());
      int count = random.nextInt(300);
      List<BundleDescriptor> expected =
          past.appended.subList(from, Math.min(past.appended.size(), from + count));
      assertThat(history.bundles(past.appended.get(from).firstStep(), count)).isEqualTo(expected);
    }
  }

  @Test
  void aTrimmedHistoryNeedsNoneOfTheSegmentsBelow() {
    grow(8000);
    long middle = past.appended.get(4000).firstStep() + 1;
    past.commit(past.trimTo(middle - 1));
    grow(100);
    History history = new History(new Segments(memory, past.streamId), past.head());
    var needed = history.segments().stream().map(SegmentRef::object).toList();
    for (String key : memory.keys()) {
      if (key.startsWith(StreamKeys.SEGMENT_PREFIX) && !needed.contains(key)) {
        Futures.await(memory.delete(key));
      }
    }
    grow(3000);
    History after = new History(new Segments(store, past.streamId), past.head());
    for (BundleDescriptor bundle : past.appended.subList(4000, past.appended.size())) {
      assertThat(after.bundleOf(bundle.firstStep())).contains(bundle);
    }
    assertThatThrownBy(() -> after.bundleOf(middle - 2))
        .isInstanceOf(TrimmedException.class)
        .hasMessageContaining("the first step still held is " + (middle - 1));
    assertThat(store.log().count(Op.READ)).isPositive();
  }

  @Test
  void aStreamTrimmedToItsEndStartsOver() {
    grow(500);
    past.commit(past.trimTo(past.head().nextStep()));
    assertThat(past.head().sealed()).isEmpty();
    assertThat(past.head().tail()).isEmpty();
    long begin = past.head().nextStep();
    grow(500);
    History history = new History(new Segments(store, past.streamId), past.head());
    assertThat(history.bundles(begin, Integer.MAX_VALUE))
        .isEqualTo(past.appended.subList(500, 1000));
  }

  @Test
  void anExchangedSegmentIsRefused() {
    grow(200);
    SegmentRef root = past.head().sealed().orElseThrow();
    byte[] bytes = memory.bytes(root.object());
    bytes[20] ^= 1;
    Futures.await(memory.put(root.object(), Payload.of(bytes)));
    History cold = new History(new Segments(store, past.streamId), past.head());
    assertThatThrownBy(() -> cold.bundleOf(0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining(root.object());
  }

  private void grow(int bundles) {
    int left = bundles;
    Random sizes = new Random(bundles);
    while (left > 0) {
      int next = Math.min(left, 1 + sizes.nextInt(40));
      past.append(next);
      left -= next;
    }
  }
}
