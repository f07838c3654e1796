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
import dev.lakestream.batch.slice.RecordSlice;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A batch of every D x samplesPerSlice samples of bytes, in the order of arrival: sample i of a
 * batch goes to replica {@code i / samplesPerSlice}. Slices are in the format {@code records}. In a
 * last, partial batch the trailing replicas have fewer samples or an empty slice.
 */
public final class CountAssembler implements BatchAssembler {

  private final Mesh mesh;
  private final int samplesPerSlice;
  private final long samplesPerBatch;
  private final ArrayDeque<Sample.Bytes> pending = new ArrayDeque<>();
  private long pendingBytes;
  private long lastSliceBytes;
  private boolean finished;

  /**
   * @throws InvalidBatchException if the mesh cuts replicas into chunks, or the count is not
   *     positive
   */
  public CountAssembler(Mesh mesh, int samplesPerSlice) {
    if (mesh.cp() != 1) {
      throw new InvalidBatchException(
          "Samples of bytes cannot be cut for a mesh of "
              + mesh
              + ": a context-parallel rank would need a part of a sample. Use a mesh with C = 1,"
              + " or token packing, or write elements that are whole global batches.");
    }
    if (samplesPerSlice < 1) {
      throw new InvalidBatchException(
          "A slice of " + samplesPerSlice + " samples: it must be 1 or more.");
    }
    this.mesh = mesh;
    this.samplesPerSlice = samplesPerSlice;
    this.samplesPerBatch = (long) mesh.dp() * samplesPerSlice;
  }

  @Override
  public void add(Sample sample) {
    if (finished) {
      throw new IllegalStateException("The input has ended.");
    }
    Sample.Bytes bytes = checked(sample);
    int before = (int) (pending.size() % samplesPerSlice);
    long sliceBytes = (before == 0 ? 0 : lastSliceBytes) + bytes.bytes();
    if (!RecordSlice.fits(before + 1, sliceBytes)) {
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
    lastSliceBytes = sliceBytes;
    pendingBytes += bytes.bytes();
    pending.add(bytes);
  }

  @Override
  public void check(Sample sample) {
    checked(sample);
  }

  private static Sample.Bytes checked(Sample sample) {
    if (sample instanceof Sample.Bytes bytes) {
      return bytes;
    }
    throw new InvalidSampleException(
        "Sample "
            + Sample.idText(sample.id())
            + " is made of tokens; batches by count take bytes. Use token packing.");
  }

  @Override
  public Optional<GlobalBatch> poll() {
    return pending.size() < samplesPerBatch ? Optional.empty() : Optional.of(emit());
  }

  @Override
  public List<Sample> pending() {
    return List.copyOf(pending);
  }

  @Override
  public long pendingBytes() {
    return pendingBytes;
  }

  @Override
  public List<GlobalBatch> finish(RemainderPolicy policy) {
    long remainder = pending.size() % samplesPerBatch;
    boolean emitsRemainder = remainder > 0 && policy.emits(remainder, samplesPerBatch, "samples");
    finished = true;
    List<GlobalBatch> batches = new ArrayList<>();
    while (pending.size() >= samplesPerBatch || (emitsRemainder && !pending.isEmpty())) {
      batches.add(emit());
    }
    pending.clear();
    pendingBytes = 0;
    return batches;
  }

  private GlobalBatch emit() {
    List<Slice> slices = new ArrayList<>(mesh.dp());
    List<Sample> samples = new ArrayList<>();
    for (int d = 0; d < mesh.dp(); d++) {
      List<ByteBuffer> records = new ArrayList<>();
      while (records.size() < samplesPerSlice && !pending.isEmpty()) {
        Sample.Bytes sample = pending.remove();
        pendingBytes -= sample.bytes();
        samples.add(sample);
        records.add(sample.payload());
      }
      slices.add(new Slice(RecordSlice.encode(records), records.size()));
    }
    return new GlobalBatch(mesh, slices, EventTimes.of(samples), Map.of());
  }
}
