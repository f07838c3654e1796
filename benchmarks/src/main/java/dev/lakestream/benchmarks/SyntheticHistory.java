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
package dev.lakestream.benchmarks;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ManySubmissions;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.UUID;

/**
 * A history of many steps, made by the real code that seals and encodes manifests, of bundles that
 * do not exist. Only the objects that a commit reads are kept: the stream object, the newest
 * manifest, and the newest segments.
 */
final class SyntheticHistory {

  private static final int KEPT_SEGMENTS = 8;
  private static final int AT_ONCE = 48;
  private static final int SUBMISSIONS = 100;
  private static final Mesh MESH = new Mesh(8, 2);

  private final MemoryStore store = new MemoryStore();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(MESH, "raw"));
  private final Deque<String> segments = new ArrayDeque<>();
  private final int producers;

  SyntheticHistory(int producers) {
    this.producers = producers;
  }

  /**
   * Builds {@code steps} steps of one bundle each and copies what a commit needs to {@code target}.
   */
  TrainingStream copyTo(ObjectStore target, long steps) {
    Manifest head = stream.log().newest();
    while (head.nextStep() < steps) {
      NextManifest next = new NextManifest(head, "append");
      for (int i = 0; i < AT_ONCE && next.nextStep() < steps; i++) {
        next.append(bundle(), "producer-" + i % producers, head.version() + 1);
      }
      head = created(next, head);
    }
    head = withProducers(head);
    copy(target, head);
    return TrainingStream.open(target);
  }

  /** Each has been submitted so often that its entry is as large as it gets. */
  private Manifest withProducers(Manifest parent) {
    NextManifest next = new NextManifest(parent, "takeover");
    for (int i = 0; i < producers; i++) {
      next.producer(
          ManySubmissions.of(
              "producer-" + i, SUBMISSIONS, ByteString.copyFromUtf8("offset-1234"), i));
    }
    return created(next, parent);
  }

  private Manifest created(NextManifest next, Manifest parent) {
    Manifest manifest = stream.seal(next, UUID.randomUUID());
    byte[] bytes = stream.log().encode(manifest, parent);
    if (Futures.await(stream.log().create(manifest.version(), bytes)) != CreateOutcome.CREATED) {
      throw new IllegalStateException("Manifest " + manifest.version() + " exists.");
    }
    forgetOld(parent);
    return manifest;
  }

  private void forgetOld(Manifest parent) {
    Futures.await(store.delete("manifest/%020d.manifest".formatted(parent.version())));
    Listing written = Futures.await(store.list("segment/", "", 64));
    for (Listing.Entry entry : written.objects()) {
      if (!segments.contains(entry.key())) {
        segments.add(entry.key());
      }
    }
    while (segments.size() > KEPT_SEGMENTS) {
      String oldest = segments.stream().min(SyntheticHistory::byVersion).orElseThrow();
      segments.remove(oldest);
      Futures.await(store.delete(oldest));
    }
  }

  /** Names end in {@code <version>-<uuid>.segment} behind two digits that spread them. */
  private static int byVersion(String a, String b) {
    return a.substring(a.lastIndexOf('/')).compareTo(b.substring(b.lastIndexOf('/')));
  }

  private void copy(ObjectStore target, Manifest head) {
    for (String key : store.keys()) {
      boolean needed =
          key.equals("stream")
              || key.startsWith("manifest/")
              || head.sealed().filter(root -> root.object().equals(key)).isPresent();
      if (needed) {
        Futures.await(target.put(key, Payload.of(store.bytes(key))));
      }
    }
  }

  /** As a commit of a Flink job would describe it. */
  static StagedBundle bundle() {
    String name = BundleName.create(OWNER, 1234, 3).object();
    return new StagedBundle(
        name,
        104_857_600,
        104_850_000,
        800,
        1,
        MESH,
        4096,
        104_800_000,
        new EventTimeRange(1_700_000_000_000L, 1_700_000_060_000L),
        6_553_000,
        Map.of());
  }

  private static final UUID OWNER = UUID.randomUUID();
}
