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

import dev.lakestream.LakestreamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which bundles hold which steps, as of one manifest: its tail and what its root leads to. A lookup
 * reads O(log n) segments at most, and none for recent steps.
 */
public final class History {

  private final Segments segments;
  private final Manifest manifest;

  History(Segments segments, Manifest manifest) {
    this.segments = segments;
    this.manifest = manifest;
  }

  public Manifest manifest() {
    return manifest;
  }

  /**
   * The bundle that holds {@code step}; empty if the step does not exist (yet).
   *
   * @throws TrimmedException if the step has been reclaimed
   */
  public Optional<BundleDescriptor> bundleOf(long step) {
    return bundles(step, 1).stream().findFirst();
  }

  /**
   * The bundles from the one that holds {@code fromStep} on, in step order.
   *
   * @param limit at most so many; fewer only at the end of the stream
   * @throws TrimmedException if {@code fromStep} has been reclaimed
   */
  public List<BundleDescriptor> bundles(long fromStep, int limit) {
    if (fromStep < manifest.firstStep()) {
      throw new TrimmedException(manifest.streamId(), fromStep, manifest.firstStep());
    }
    List<BundleDescriptor> found = new ArrayList<>();
    if (fromStep < manifest.tailFirstStep() && manifest.sealed().isPresent()) {
      collect(manifest.sealed().get(), fromStep, limit, found);
    }
    for (BundleDescriptor bundle : manifest.tail()) {
      if (found.size() < limit && bundle.nextStep() > fromStep) {
        found.add(bundle);
      }
    }
    return found;
  }

  private void collect(SegmentRef ref, long fromStep, int limit, List<BundleDescriptor> found) {
    if (found.size() >= limit || ref.nextStep() <= fromStep) {
      return;
    }
    SegmentCodec.Content content = segments.read(ref);
    for (SegmentRef child : content.children()) {
      collect(child, fromStep, limit, found);
    }
    for (BundleDescriptor bundle : content.bundles()) {
      if (found.size() < limit && bundle.nextStep() > fromStep) {
        found.add(bundle);
      }
    }
  }

  /** The segments that this manifest leads to and that hold any of its steps, the root first. */
  public List<SegmentRef> segments() {
    List<SegmentRef> all = new ArrayList<>();
    manifest.sealed().ifPresent(root -> walk(root, all));
    return all;
  }

  private void walk(SegmentRef ref, List<SegmentRef> all) {
    if (ref.nextStep() <= manifest.firstStep()) {
      return;
    }
    all.add(ref);
    if (ref.level() > 0) {
      segments.read(ref).children().forEach(child -> walk(child, all));
    }
  }

  /** What an audit does with the segments of a history. */
  public interface SegmentVisitor {

    /** Whether to read the segment and to visit what it leads to. */
    default boolean enter(SegmentRef ref) {
      return true;
    }

    /**
     * A segment that was read, its checksum and its contiguity verified.
     *
     * @param children none at level 0
     * @param bundles none above level 0
     */
    void segment(SegmentRef ref, List<SegmentRef> children, List<BundleDescriptor> bundles);

    /** A segment that could not be read, so that what it holds is not visited. */
    void unreadable(SegmentRef ref, LakestreamException why);
  }

  /**
   * Visits the segments that hold any of this manifest's steps, in step order, each before its
   * children, one in memory at a time (beside those that are cached).
   */
  public void visitSegments(SegmentVisitor visitor) {
    manifest.sealed().ifPresent(root -> visit(root, visitor));
  }

  private void visit(SegmentRef ref, SegmentVisitor visitor) {
    if (ref.nextStep() <= manifest.firstStep() || !visitor.enter(ref)) {
      return;
    }
    SegmentCodec.Content content;
    try {
      content = segments.read(ref);
    } catch (LakestreamException e) {
      visitor.unreadable(ref, e);
      return;
    }
    visitor.segment(ref, content.children(), content.bundles());
    content.children().forEach(child -> visit(child, visitor));
  }
}
