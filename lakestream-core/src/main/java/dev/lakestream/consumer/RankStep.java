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
package dev.lakestream.consumer;

import dev.lakestream.batch.Slice;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Redaction;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a rank reads at one consumer step. A step is there for every rank, also for one that has no
 * part in it: all ranks see the same ones.
 */
public final class RankStep {

  private final PlannedStep planned;
  private final List<StepPart> parts;
  private final BundleDescriptor bundle;
  private final long version;
  private final Supplier<Slice> joined;
  private Slice slice;

  RankStep(
      PlannedStep planned,
      List<StepPart> parts,
      BundleDescriptor bundle,
      long version,
      Supplier<Slice> joined) {
    this.planned = planned;
    this.parts = parts;
    this.bundle = bundle;
    this.version = version;
    this.joined = joined;
  }

  /**
   * The number of the stream's step that it is of. In mode {@code rows} the ranks of one consumer
   * step may read different steps of the stream; {@link #row} is what they have in common.
   */
  public long step() {
    return planned.step();
  }

  /** The row at which the consumer step begins: the same for all ranks. */
  public long row() {
    return planned.row();
  }

  /**
   * What the rank takes, in order: parts of stored slices. In a chunked format ({@code tokens})
   * those of one replica are to be joined along the sequence, the others one after another.
   */
  public List<StepPart> parts() {
    return parts;
  }

  /**
   * All of it as one slice in the stream's format: the stored one where it is one (nothing is
   * copied then), otherwise put together of the parts; empty for a rank that has no part in the
   * step.
   *
   * @throws dev.lakestream.format.CorruptObjectException if the slices are not in the format that
   *     the stream says
   * @throws dev.lakestream.LakestreamException if parts of this format cannot be put together here:
   *     take {@link #parts} then
   */
  public Slice slice() {
    if (slice == null) {
      slice = joined.get();
    }
    return slice;
  }

  /**
   * What was taken out of {@link #step} after it was published; empty: nothing, as of {@link
   * #version}. It says so of the whole step, also to a rank whose own part lost nothing. In mode
   * {@code rows} the ranks of one consumer step may read different steps: each is told of the step
   * that its parts are of.
   */
  public List<Redaction> redactions() {
    return bundle.redactions(step());
  }

  /** The bundle that holds it. */
  public BundleDescriptor bundle() {
    return bundle;
  }

  /** The manifest in which the bundle was found. */
  public long version() {
    return version;
  }

  /** Where the reader stands after it. */
  Stand next() {
    return planned.next();
  }

  @Override
  public String toString() {
    return "step " + step() + " (row " + row() + ", " + parts.size() + " parts)";
  }
}
