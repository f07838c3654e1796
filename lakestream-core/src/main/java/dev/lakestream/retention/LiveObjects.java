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

import dev.lakestream.LakestreamException;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.SegmentRef;
import dev.lakestream.manifest.TrainingStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The bundles and segments that the newest manifest leads to, for the steps that are held. Grows
 * with newer manifests and never shrinks: what has been trimmed meanwhile is garbage for the next
 * run.
 *
 * <p>Bundles are remembered as fingerprints: one that is taken for another stays too long, which
 * harms nothing. Segments, of which there is one for 48 bundles or more, are remembered by name,
 * because a known one is not read again.
 */
final class LiveObjects {

  private final TrainingStream stream;
  private final long firstStep;
  private final Fingerprints bundles = new Fingerprints();
  private final Set<String> segments = new HashSet<>();
  private Manifest head;

  /**
   * @param firstStep bundles that end below it are not live, though {@code head} may hold them yet
   */
  LiveObjects(TrainingStream stream, Manifest head, long firstStep) {
    this.stream = stream;
    this.firstStep = firstStep;
    add(head);
  }

  /** Adds what a newer manifest leads to. Reads only segments that are new. */
  void extend(Manifest newer) {
    if (newer.version() > head.version()) {
      add(newer);
    }
  }

  private void add(Manifest manifest) {
    // Known only when all of it has been read: should a segment of the manifest be gone, a newer
    // one may lead to the rest.
    Set<String> entered = new HashSet<>();
    stream
        .history(manifest)
        .visitSegments(
            new History.SegmentVisitor() {
              @Override
              public boolean enter(SegmentRef ref) {
                return ref.nextStep() > firstStep
                    && !segments.contains(ref.object())
                    && entered.add(ref.object());
              }

              @Override
              public void segment(
                  SegmentRef ref, List<SegmentRef> children, List<BundleDescriptor> content) {
                content.forEach(LiveObjects.this::add);
              }

              @Override
              public void unreadable(SegmentRef ref, LakestreamException why) {
                throw why; // what it leads to is not known, so nothing is known to be garbage
              }
            });
    manifest.tail().forEach(this::add);
    segments.addAll(entered);
    head = manifest;
  }

  private void add(BundleDescriptor bundle) {
    if (bundle.nextStep() > firstStep) {
      bundles.add(bundle.bundle().object());
    }
  }

  boolean hasBundle(String key) {
    return bundles.contains(key);
  }

  boolean hasSegment(String key) {
    return segments.contains(key);
  }
}
