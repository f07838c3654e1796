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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.store.ObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/**
 * A stream that grows by random commits: appends of few and of many bundles, takeovers, trims and
 * retirements. It keeps what it has appended, to compare with.
 */
final class RandomHistory {

  final UUID streamId = new UUID(7, 7);
  final ObjectStore store;
  final Segments segments;
  final List<BundleDescriptor> appended = new ArrayList<>();
  private final Random random;
  private Manifest head;

  RandomHistory(ObjectStore store, long seed) {
    this.random = new Random(seed);
    this.store = store;
    this.segments = new Segments(store, streamId);
    this.head =
        Manifest.first(
            new StreamInfo(streamId, 1000, new Mesh(1, 1), "raw", "", Map.of()), randomId());
  }

  Manifest head() {
    return head;
  }

  UUID randomId() {
    return new UUID(random.nextLong(), random.nextLong());
  }

  /** One random commit. */
  Manifest advance() {
    return switch (random.nextInt(12)) {
      case 0, 1 -> commit(takeover());
      case 2 -> commit(retirement());
      case 3 -> commit(trim());
      case 4 -> append(60 + random.nextInt(60));
      case 5 -> append(random.nextInt(20) == 0 ? 1100 : 20);
      default -> append(1 + random.nextInt(4));
    };
  }

  /** Appends so many random bundles in one commit. */
  Manifest append(int bundles) {
    NextManifest next = new NextManifest(head, "append");
    String producer = "producer-" + random.nextInt(6);
    long sequence = 1 + head.version();
    for (int i = 0; i < bundles; i++) {
      StagedBundle bundle = Bundles.random(random);
      appended.add(
          new BundleDescriptor(
              bundle,
              next.nextStep(),
              appended.isEmpty() ? 0 : appended.get(appended.size() - 1).nextRow(),
              producer,
              sequence));
      next.append(bundle, producer, sequence);
    }
    ProducerEntry entry = head.producer(producer).orElseGet(() -> newEntry(producer));
    Lineage lineage = entry.currentLineage();
    next.producer(
        entry.withLineage(
            new Lineage(
                lineage.id(),
                sequence,
                Optional.of(entry.currentOwner().id()),
                head.version() + 1,
                ByteString.copyFromUtf8("offset " + sequence),
                next.nextStep()),
            head.createdAt()));
    commit(next);
    appended
        .subList(appended.size() - bundles, appended.size())
        .replaceAll(bundle -> bundle.publishedIn(head.version(), head.createdAt()));
    return head;
  }

  private NextManifest takeover() {
    String producer = "producer-" + random.nextInt(6);
    UUID owner = randomId();
    boolean sameLineage = random.nextBoolean() && head.producer(producer).isPresent();
    UUID lineage =
        sameLineage ? head.producer(producer).orElseThrow().currentLineage().id() : owner;
    Owner newcomer = new Owner(owner, lineage, "a job", head.createdAt());
    ProducerEntry entry =
        head.producer(producer)
            .map(known -> known.withOwner(newcomer, head.createdAt()))
            .orElseGet(() -> ProducerEntry.of(producer, newcomer, head.createdAt()));
    return new NextManifest(head, "takeover").producer(entry);
  }

  private ProducerEntry newEntry(String producer) {
    UUID owner = randomId();
    return ProducerEntry.of(
        producer, new Owner(owner, owner, "job of " + producer, 5), head.createdAt());
  }

  private NextManifest retirement() {
    NextManifest next = new NextManifest(head, "retire");
    if (!head.producers().isEmpty()) {
      next.retire(head.producers().get(random.nextInt(head.producers().size())).producerId());
    }
    return next;
  }

  private NextManifest trim() {
    long steps = head.steps();
    return trimTo(
        random.nextInt(6) == 0
            ? head.nextStep()
            : head.firstStep() + (steps == 0 ? 0 : random.nextLong(Math.max(1, steps / 3))));
  }

  NextManifest trimTo(long step) {
    return new NextManifest(head, "trim").trim(step, rowOf(step));
  }

  Manifest commit(NextManifest next) {
    head = next.build(randomId(), head.createdAt() + random.nextInt(50) - 10, segments);
    return head;
  }

  long rowOf(long step) {
    if (step == head.nextStep()) {
      return head.nextRow();
    }
    return bundleOf(step).rowOf(step);
  }

  /** By the record of what was appended. */
  BundleDescriptor bundleOf(long step) {
    int low = 0;
    int high = appended.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (appended.get(middle).nextStep() > step) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return appended.get(low);
  }
}
