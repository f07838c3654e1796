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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.manifest.Chain;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.simulation.VirtualTime;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * A stream in memory, on a virtual clock, with a writer whose bundles are really there, so that a
 * reclaimer has something to delete.
 */
final class ReclaimedStream {

  static final Mesh MESH = new Mesh(2, 1);

  /** Deletes whatever the rules allow, without regard to age. */
  static final ReclaimSettings AT_ONCE =
      ReclaimSettings.DEFAULT.keepManifests(1).manifestAge(Duration.ZERO).orphanAge(Duration.ZERO);

  final VirtualTime time = new VirtualTime();
  final MemoryStore memory = new MemoryStore("mem://test", time);
  final FaultyStore store = new FaultyStore(memory, time);
  final TrainingStream opened = TrainingStream.openOrCreate(store, Chain.INFO, time);
  final Writer writer = writer("p", new UUID(0xa, 0xa));

  Writer writer(String id, UUID owner) {
    return new Writer(id, owner);
  }

  /** Someone who publishes bundles that are really there. */
  final class Writer {
    private final String id;
    final UUID owner;
    private final Publisher publisher =
        new Publisher(
            open(),
            CommitSettings.DEFAULT.withPacing(Pacing.NAIVE),
            new Random(1),
            new CommitMetrics());
    private final UUID lineage;
    private long sequence;

    private Writer(String id, UUID owner) {
      this.id = id;
      this.owner = owner;
      this.lineage =
          publisher
              .takeOver(new Claim(id, owner, "job of " + id, new Claim.Fresh()), OnRewind.FAIL)
              .lineage()
              .id();
    }

    StagedBundle stage(int steps) {
      return stage(owner, sequence, steps);
    }

    StagedBundle stage(UUID named, long after, int steps) {
      BundleBuilder builder = new BundleBuilder(opened.id(), "raw", Compression.NONE);
      Slice slice = Slice.of(new byte[] {1, 2, 3}, 1);
      for (int i = 0; i < steps; i++) {
        builder.add(GlobalBatch.of(MESH, List.of(slice, slice)));
      }
      BundleBuilder.Bundle bundle =
          builder.build(BundleName.create(named, after, 0).object(), Map.of());
      Futures.await(store.put(bundle.staged().object(), bundle.payload()));
      return bundle.staged();
    }

    void publish(StagedBundle... bundles) {
      sequence++;
      publisher.publish(
          new Publication(
              id, owner, lineage, owner, sequence, List.of(bundles), ByteString.EMPTY, false));
    }

    /** So many commits of one bundle each. */
    Writer commits(int count, int steps) {
      for (int i = 0; i < count; i++) {
        publish(stage(steps));
        time.pass(Duration.ofMillis(10));
      }
      return this;
    }
  }

  /** A handle of its own, so that nothing comes out of another's cache. */
  TrainingStream open() {
    return TrainingStream.open(store, time);
  }

  ReclaimResult reclaim(ReclaimSettings settings) {
    return Reclaimer.of(open(), settings).run();
  }

  /** What the one rank of the group "train" still needs: from this step on. */
  void watermark(long step) {
    new RankRecorder(opened, "train", 0, 1, 0, 1).record(new Cursor(opened.id(), 1, step, MESH));
  }

  Manifest head() {
    return opened.log().newest();
  }

  List<String> keys(String prefix) {
    return memory.keys().stream().filter(key -> key.startsWith(prefix)).toList();
  }

  void verifyIntact() {
    FullVerification.findsNoErrors(open());
  }
}
