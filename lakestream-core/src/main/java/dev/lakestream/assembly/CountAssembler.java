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
package dev.lakestream.assembly;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A batch of every D x C x samplesPerSlice samples of bytes. They are dealt in the order of
 * arrival, sample i of a batch to slice {@code i / samplesPerSlice}; or, if they are placed, each
 * goes to the slice that it asks for, and a batch is complete when all of its slices are. In last,
 * partial batches slices have fewer samples, or none and are empty.
 *
 * <p>Placed samples wait for those of the other slices without bound: who feeds them keeps the
 * slices even.
 */
public final class CountAssembler implements BatchAssembler {

  private final Mesh mesh;
  private final int samplesPerSlice;
  private final SliceEncoder encoder;
  private final boolean placed;
  private final long samplesPerBatch;

  /** One for each slice if samples are placed, else one for all. */
  private final List<Lane> lanes = new ArrayList<>();

  /** By number of the batch: what the samples of batches that are not complete say of them. */
  private final Map<Long, BatchAttributes> attributes = new HashMap<>();

  private long emitted;
  private int fullLanes;
  private int pendingSamples;
  private long pendingBytes;
  private boolean finished;

  /** Samples that wait for the same slices. */
  private final class Lane {
    private final long samplesToFill;
    private final ArrayDeque<Sample.Bytes> pending = new ArrayDeque<>();
    private long lastSliceBytes;
    private long added;

    Lane(long samplesToFill) {
      this.samplesToFill = samplesToFill;
    }

    int inLastSlice() {
      return pending.size() % samplesPerSlice;
    }

    /** The number of the batch that the next sample goes into. */
    long batch() {
      return added / samplesToFill;
    }

    void add(Sample.Bytes sample) {
      added++;
      lastSliceBytes = (inLastSlice() == 0 ? 0 : lastSliceBytes) + sample.bytes();
      pending.add(sample);
      pendingSamples++;
      pendingBytes += sample.bytes();
      if (pending.size() == samplesToFill) {
        fullLanes++;
      }
    }

    List<Sample.Bytes> takeSlice() {
      List<Sample.Bytes> taken = new ArrayList<>();
      while (taken.size() < samplesPerSlice && !pending.isEmpty()) {
        if (pending.size() == samplesToFill) {
          fullLanes--;
        }
        Sample.Bytes sample = pending.remove();
        pendingSamples--;
        pendingBytes -= sample.bytes();
        taken.add(sample);
      }
      return taken;
    }
  }

  /**
   * Samples in the slice format records, dealt in order.
   *
   * @throws InvalidBatchException if the mesh cuts replicas into chunks, or the count is not
   *     positive
   */
  public CountAssembler(Mesh mesh, int samplesPerSlice) {
    this(mesh, samplesPerSlice, SliceEncoder.RECORDS, false);
    if (mesh.cp() != 1) {
      throw new InvalidBatchException(
          "Samples of bytes cannot be cut for a mesh of "
              + mesh
              + ": a context-parallel rank would need a part of a sample. Use a mesh with C = 1,"
              + " or token packing, or write elements that are whole global batches.");
    }
  }

  /**
   * Samples in the format of an encoder. With C above 1 the chunks of a replica hold different
   * samples, not parts of the same ones.
   *
   * @param placed whether {@link SliceEncoder#sliceOf} says where each sample goes
   * @throws InvalidBatchException if the count is not positive
   */
  public CountAssembler(Mesh mesh, int samplesPerSlice, SliceEncoder encoder, boolean placed) {
    if (samplesPerSlice < 1) {
      throw new InvalidBatchException(
          "A slice of " + samplesPerSlice + " samples: it must be 1 or more.");
    }
    this.mesh = mesh;
    this.samplesPerSlice = samplesPerSlice;
    this.encoder = encoder;
    this.placed = placed;
    this.samplesPerBatch = (long) mesh.slices() * samplesPerSlice;
    for (int i = 0; i < (placed ? mesh.slices() : 1); i++) {
      lanes.add(new Lane(placed ? samplesPerSlice : samplesPerBatch));
    }
  }

  @Override
  public void add(Sample sample) {
    if (finished) {
      throw new IllegalStateException("The input has ended.");
    }
    Sample.Bytes bytes = checked(sample);
    Lane lane = lane(bytes);
    int before = lane.inLastSlice();
    long sliceBytes = (before == 0 ? 0 : lane.lastSliceBytes) + bytes.bytes();
    if (!encoder.fits(before + 1, sliceBytes)) {
      throw new InvalidSampleException(
          "Sample "
              + Sample.idText(sample.id())
              + " of "
              + bytes.bytes()
              + " bytes does not fit into a slice, which takes 2 GiB at most and has "
              + (sliceBytes - bytes.bytes())
              + " bytes in "
              + before
              + " samples. Put fewer than "
              + samplesPerSlice
              + " samples into a slice.");
    }
    if (!bytes.attributes().isEmpty()) {
      attributes.computeIfAbsent(lane.batch(), any -> new BatchAttributes()).add(bytes);
    }
    lane.add(bytes);
  }

  @Override
  public void check(Sample sample) {
    checked(sample);
  }

  private Sample.Bytes checked(Sample sample) {
    if (!(sample instanceof Sample.Bytes bytes)) {
      throw new InvalidSampleException(
          "Sample "
              + Sample.idText(sample.id())
              + " is made of tokens; batches by count take bytes. Use token packing.");
    }
    encoder.check(bytes);
    lane(bytes);
    return bytes;
  }

  private Lane lane(Sample.Bytes sample) {
    if (!placed) {
      return lanes.get(0);
    }
    OptionalInt slice = encoder.sliceOf(sample);
    if (slice.isEmpty() || slice.getAsInt() < 0 || slice.getAsInt() >= lanes.size()) {
      throw new InvalidSampleException(
          "Sample "
              + Sample.idText(sample.id())
              + " asks for "
              + (slice.isEmpty() ? "no slice" : "slice number " + slice.getAsInt())
              + "; samples that are placed ask for one of the "
              + lanes.size()
              + " slices of a mesh of "
              + mesh
              + ".");
    }
    return lanes.get(slice.getAsInt());
  }

  @Override
  public Optional<GlobalBatch> poll() {
    return isComplete() ? Optional.of(emit()) : Optional.empty();
  }

  private boolean isComplete() {
    return fullLanes == lanes.size();
  }

  @Override
  public List<Sample> pending() {
    return lanes.stream().<Sample>flatMap(lane -> lane.pending.stream()).toList();
  }

  @Override
  public long pendingBytes() {
    return pendingBytes;
  }

  @Override
  public List<GlobalBatch> finish(RemainderPolicy policy) {
    long remainder = pendingSamples - fullBatches() * samplesPerBatch;
    boolean emitsRemainder = remainder > 0 && policy.emits(remainder, samplesPerBatch, "samples");
    finished = true;
    List<GlobalBatch> batches = new ArrayList<>();
    while (isComplete() || (emitsRemainder && pendingSamples > 0)) {
      batches.add(emit());
    }
    lanes.forEach(lane -> lane.pending.clear());
    pendingSamples = 0;
    pendingBytes = 0;
    return batches;
  }

  private long fullBatches() {
    return lanes.stream()
        .mapToLong(lane -> lane.pending.size() / lane.samplesToFill)
        .min()
        .orElseThrow();
  }

  private GlobalBatch emit() {
    List<Slice> slices = new ArrayList<>(mesh.slices());
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < mesh.slices(); i++) {
      List<Sample.Bytes> taken = lanes.get(placed ? i : 0).takeSlice();
      samples.addAll(taken);
      slices.add(
          new Slice(
              taken.isEmpty() ? ByteBuffer.allocate(0) : encoder.encode(taken), taken.size()));
    }
    BatchAttributes stated = attributes.remove(emitted++);
    return new GlobalBatch(
        mesh, slices, EventTimes.of(samples), stated == null ? Map.of() : stated.toMap());
  }
}
