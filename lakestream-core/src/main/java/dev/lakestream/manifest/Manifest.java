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

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The whole stream at one version. Immutable.
 *
 * @param version manifests are numbered without holes: from 0, or from where a stream that was
 *     dropped at the same address ended
 * @param commitId random: how a writer recognises its own work when the reply was lost (invariant
 *     I5)
 * @param parentCommitId empty in a root: the first manifest, and the one that ends a dropped
 *     stream; breaks visibly where a manifest was overwritten (invariant I6)
 * @param createdAt max(the parent's, now) (invariant I9)
 * @param firstStep steps below it are trimmed
 * @param firstRow the row at which {@code firstStep} begins
 * @param nextStep one past the newest step
 * @param nextRow one past the newest row
 * @param sealed root over the descriptors that have left the tail
 * @param tail the newest bundles, in step order, without holes, ending at {@code nextStep}
 * @param producers ordered by id
 * @param totalRecords ever published, trimmed ones included
 * @param totalRawBytes ever published, trimmed ones included
 * @param operation what the commit did, for people
 * @param dropped whether the stream ends here: nothing may follow, and what it held is being
 *     deleted
 */
public record Manifest(
    UUID streamId,
    long version,
    UUID commitId,
    Optional<UUID> parentCommitId,
    long createdAt,
    long firstStep,
    long firstRow,
    long nextStep,
    long nextRow,
    Optional<SegmentRef> sealed,
    List<BundleDescriptor> tail,
    List<ProducerEntry> producers,
    long totalRecords,
    long totalRawBytes,
    String operation,
    boolean dropped) {

  public Manifest {
    tail = List.copyOf(tail);
    producers = List.copyOf(producers);
  }

  /** One of a stream that goes on. */
  public Manifest(
      UUID streamId,
      long version,
      UUID commitId,
      Optional<UUID> parentCommitId,
      long createdAt,
      long firstStep,
      long firstRow,
      long nextStep,
      long nextRow,
      Optional<SegmentRef> sealed,
      List<BundleDescriptor> tail,
      List<ProducerEntry> producers,
      long totalRecords,
      long totalRawBytes,
      String operation) {
    this(
        streamId,
        version,
        commitId,
        parentCommitId,
        createdAt,
        firstStep,
        firstRow,
        nextStep,
        nextRow,
        sealed,
        tail,
        producers,
        totalRecords,
        totalRawBytes,
        operation,
        false);
  }

  /** The manifest of a stream that holds nothing yet. */
  public static Manifest first(StreamInfo stream, UUID commitId) {
    return first(stream, 0, commitId);
  }

  /** The same, where numbers were used by a stream that was dropped. */
  static Manifest first(StreamInfo stream, long version, UUID commitId) {
    return root(stream, version, commitId, stream.createdAt(), false);
  }

  /** The manifest that ends a dropped stream. */
  static Manifest last(StreamInfo stream, long version, UUID commitId, long now) {
    return root(stream, version, commitId, Math.max(stream.createdAt(), now), true);
  }

  private static Manifest root(
      StreamInfo stream, long version, UUID commitId, long createdAt, boolean dropped) {
    return new Manifest(
        stream.id(),
        version,
        commitId,
        Optional.empty(),
        createdAt,
        0,
        0,
        0,
        0,
        Optional.empty(),
        List.of(),
        List.of(),
        0,
        0,
        dropped ? "drop" : "create",
        dropped);
  }

  public Optional<ProducerEntry> producer(String producerId) {
    return producers.stream().filter(entry -> entry.producerId().equals(producerId)).findFirst();
  }

  /** The first step that the tail holds; {@link #nextStep} if the tail is empty. */
  public long tailFirstStep() {
    return tail.isEmpty() ? nextStep : tail.get(0).firstStep();
  }

  /** So many steps can be read. */
  public long steps() {
    return nextStep - firstStep;
  }

  /**
   * How many producers committed within {@code millis} before this manifest, by the manifests' own
   * clock.
   */
  public int activeProducers(long millis) {
    return (int)
        producers.stream().filter(entry -> entry.updatedAt() >= createdAt - millis).count();
  }
}
