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
 * @param version manifests are numbered from 0 without holes
 * @param commitId random: how a writer recognises its own work when the reply was lost (invariant
 *     I5)
 * @param parentCommitId empty at version 0; breaks visibly where a manifest was overwritten
 *     (invariant I6)
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
    String operation) {

  public Manifest {
    tail = List.copyOf(tail);
    producers = List.copyOf(producers);
  }

  /** The manifest of a stream that holds nothing yet. */
  public static Manifest first(StreamInfo stream, UUID commitId) {
    return new Manifest(
        stream.id(),
        0,
        commitId,
        Optional.empty(),
        stream.createdAt(),
        0,
        0,
        0,
        0,
        Optional.empty(),
        List.of(),
        List.of(),
        0,
        0,
        "create");
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
