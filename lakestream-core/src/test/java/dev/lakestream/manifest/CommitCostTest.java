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

import com.google.protobuf.ByteString;
import dev.lakestream.format.Frame;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a commit writes must not depend on how long the stream has been (DESIGN section 3.2). */
class CommitCostTest {

  private static final int SEALED_AT_ONCE = TrainingStream.MAX_TAIL - TrainingStream.KEPT_TAIL + 1;

  /** So many commits see each kind of sealing in its due proportion. */
  private static final int COMMITS = SEALED_AT_ONCE * Segments.FAN_OUT * 2;

  private static final int PRODUCERS = 100;

  private final MemoryStore store = new MemoryStore();

  @Test
  void aCommitWritesTheSameAfterTenMillionStepsAsAfterAThousand() {
    double young = averageBytes(stream(1_000));
    double old = averageBytes(stream(10_000_000));
    assertThat(old / young).isLessThan(1.1);
  }

  @Test
  void aManifestWithAHundredProducersOfAHundredSubmissionsStaysUnderSixtyFourKilobytes() {
    for (int atOnce : new int[] {1, 10, 32, 33, TrainingStream.MAX_TAIL}) {
      assertThat(largestManifest(ByteString.EMPTY, atOnce))
          .as("%d bundles in a commit", atOnce)
          .isLessThan(ManifestSize.ADVISABLE_BYTES);
    }
  }

  /** Every producer's largest position is in it once, whatever its earlier submissions left. */
  @Test
  void positionsCostWhatTheHundredCurrentOnesHave() {
    ByteString position = ByteString.copyFrom(new byte[Lineage.MAX_POSITION_BYTES]);
    assertThat(largestManifest(position, 1))
        .isLessThan(ManifestSize.ADVISABLE_BYTES + (PRODUCERS + 1) * (position.size() + 8));
  }

  @Test
  void aLargeManifestNamesTheProducerThatMakesItSo() {
    NextManifest next = new NextManifest(stream(1_000), "takeover");
    for (int i = 0; i < 10; i++) {
      next.producer(ManySubmissions.of("producer-" + i, 3, ByteString.EMPTY, 1));
    }
    ByteString position = ByteString.copyFrom(new byte[2_000]);
    next.producer(ManySubmissions.of("the large one", 3, position, 1));
    Manifest manifest = next.build(new UUID(1, 1), 0, segments());
    assertThat(ManifestSize.advice(manifest, ManifestSize.ADVISABLE_BYTES)).isEmpty();
    assertThat(ManifestSize.advice(manifest, ManifestSize.ADVISABLE_BYTES + 1).orElseThrow())
        .contains("producer \"the large one\" alone 2,")
        .contains("sys.retire_producer");
  }

  /** Of commits of so many bundles, over a whole sealing cycle. */
  private int largestManifest(ByteString position, int bundlesAtOnce) {
    NextManifest producers = new NextManifest(stream(10_000_000), "takeover");
    for (int i = 0; i < PRODUCERS; i++) {
      producers.producer(
          ManySubmissions.of("team-a.pretraining.corpus-" + i, 100, position, 1 + i));
    }
    Manifest head = producers.build(new UUID(1, 1), 1_700_000_000_000L, segments());
    Random random = new Random(1);
    int largest = 0;
    for (int bundles = 0; bundles <= 2 * TrainingStream.MAX_TAIL; bundles += bundlesAtOnce) {
      NextManifest next = new NextManifest(head, "append");
      for (int i = 0; i < bundlesAtOnce; i++) {
        next.append(
            Bundles.of(
                new UUID(random.nextLong(), 1), new UUID(random.nextLong(), random.nextLong()), 16),
            "team-a.pretraining.corpus-1",
            100_000);
      }
      ProducerEntry entry = head.producer("team-a.pretraining.corpus-1").orElseThrow();
      next.producer(entry.withLineage(entry.currentLineage(), bundles));
      Manifest parent = head;
      head = next.build(new UUID(1, 2 + bundles), 1_700_000_000_000L, segments());
      largest = Math.max(largest, ManifestCodec.encode(head, Optional.of(parent)).length);
    }
    assertThat(head.producers()).hasSize(PRODUCERS);
    return largest;
  }

  private double averageBytes(Manifest from) {
    Random random = new Random(1);
    Manifest head = from;
    Segments segments = segments();
    int before = store.keys().size();
    long bytes = 0;
    for (int i = 0; i < COMMITS; i++) {
      Manifest parent = head;
      head =
          new NextManifest(parent, "append")
              .append(
                  Bundles.of(new UUID(4, 4), new UUID(random.nextLong(), random.nextLong()), 1),
                  "p",
                  1000)
              .build(new UUID(2, i), 1_700_000_000_000L, segments);
      bytes += ManifestCodec.encode(head, Optional.of(parent)).length;
    }
    List<String> keys = store.keys();
    assertThat(keys.size()).isGreaterThan(before + COMMITS / SEALED_AT_ONCE);
    bytes +=
        keys.stream()
            .filter(key -> parentVersion(key) >= from.version())
            .mapToLong(key -> store.bytes(key).length)
            .sum();
    return (double) bytes / COMMITS;
  }

  private static long parentVersion(String segmentKey) {
    return Long.parseLong(segmentKey, 11, 31, 10) - 1;
  }

  /**
   * A stream of so many steps, one a bundle and one a commit. Of its segments only the root is
   * there: it is all that a commit reads.
   */
  private Manifest stream(long steps) {
    store.keys().forEach(key -> Futures.await(store.delete(key)));
    long leaves = steps / SEALED_AT_ONCE;
    List<SegmentRef> forest = new ArrayList<>();
    long step = 0;
    for (int level = 15; level >= 0; level--) {
      long size = 1L << (4 * level);
      for (long i = 0; i < leaves / size % Segments.FAN_OUT; i++) {
        SegmentRef ref = ref(level, step, size * SEALED_AT_ONCE, 6_000, level + (int) i);
        forest.add(ref);
        step = ref.nextStep();
      }
    }
    byte[] root = SegmentCodec.encodeInner(Golden.STREAM, steps, forest.get(0).level() + 1, forest);
    SegmentRef rootRef = ref(forest.get(0).level() + 1, 0, step, root.length, 0);
    Futures.await(store.put(rootRef.object(), Payload.of(root)));
    Manifest head =
        new Manifest(
            Golden.STREAM,
            steps,
            new UUID(1, 1),
            Optional.of(new UUID(1, 0)),
            1_700_000_000_000L,
            0,
            0,
            step,
            2 * step,
            Optional.of(
                new SegmentRef(
                    rootRef.object(),
                    root.length,
                    Frame.crc32c(root, 0, root.length),
                    rootRef.level(),
                    0,
                    step,
                    0,
                    2 * step,
                    step,
                    100 * step,
                    1000 * step,
                    null)),
            List.of(),
            List.of(),
            100 * step,
            1000 * step,
            "append");
    while (head.nextStep() < steps) {
      head =
          new NextManifest(head, "append")
              .append(Bundles.of(new UUID(4, 4), new UUID(5, 5), 1), "p", 1000)
              .build(new UUID(1, 1), 1_700_000_000_000L, segments());
    }
    return head;
  }

  private static SegmentRef ref(int level, long step, long steps, int length, int salt) {
    return new SegmentRef(
        StreamKeys.segment(step + steps, new UUID(step * 31 + salt, steps)),
        length,
        0x12345678,
        level,
        step,
        steps,
        2 * step,
        2 * steps,
        steps,
        100 * steps,
        1000 * steps,
        null);
  }

  private Segments segments() {
    return new Segments(store, Golden.STREAM);
  }
}
