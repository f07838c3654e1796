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

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;

/**
 * Checks everything about a stream that can be seen in what is stored: every checksum, and the
 * invariants I1 to I4, I6 and I9. Reads only.
 *
 * <p>It verifies the stream as it is at one manifest, the newest when it begins. Writers may go on
 * meanwhile, and what they add is not looked at; what reclamation takes away meanwhile is no
 * finding. Open the stream anew for it, so that no segment comes out of a cache.
 *
 * <p>Memory: for each bundle and segment up to 16 bytes, so that a second reference is seen; and
 * for each thread 64 MiB or the largest slice (deep), or a footer (quick).
 */
public final class StreamVerifier {

  /** Bundles looked at at once: many that are waited for, few that are decompressed. */
  private static final int QUICK_THREADS = 16;

  private static final int DEEP_THREADS = 4;

  private final TrainingStream stream;
  private boolean deep = true;
  private VerifyListener listener = VerifyListener.NONE;

  private StreamVerifier(TrainingStream stream) {
    this.stream = stream;
  }

  /** Verifies {@code stream}, every byte of it unless told otherwise. */
  public static StreamVerifier of(TrainingStream stream) {
    return new StreamVerifier(stream);
  }

  /** Of a bundle only that it is there, its length and its footer: one request each. */
  public StreamVerifier quick() {
    deep = false;
    return this;
  }

  public StreamVerifier listener(VerifyListener heard) {
    listener = heard;
    return this;
  }

  /**
   * @throws dev.lakestream.LakestreamException if it cannot be verified at all: no head is found,
   *     or the store does not list
   */
  public VerifyResult verify() {
    Manifest head = stream.log().newest();
    Findings findings = new Findings(listener);
    ManifestAudit manifests = new ManifestAudit(stream, head, findings);
    long lowestLive = manifests.run();
    int threads =
        deep ? Math.min(DEEP_THREADS, Runtime.getRuntime().availableProcessors()) : QUICK_THREADS;
    try (BundleAudit bundles = new BundleAudit(stream, deep, threads, findings)) {
      bundles.expect(expected(head));
      HistoryAudit history = new HistoryAudit(stream.history(head), findings, bundles::check);
      history.run();
      bundles.await();
      ObjectAudit objects =
          new ObjectAudit(stream.store(), history::isReferenced, lowestLive, findings);
      objects.run();
      return new VerifyResult(
          head.version(),
          manifests.manifests(),
          history.segments(),
          history.bundles(),
          head.steps(),
          history.bytes(),
          objects.objects(),
          findings.errors(),
          findings.notes());
    }
  }

  private static long expected(Manifest head) {
    return head.sealed().map(root -> root.bundles()).orElse(0L) + head.tail().size();
  }
}
