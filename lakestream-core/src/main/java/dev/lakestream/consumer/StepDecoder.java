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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.RankSection;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.batch.slice.SliceJoin;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.consumer.topology.Part;
import dev.lakestream.consumer.topology.Topology;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Verifies and decompresses the slices of a step, and puts its parts together.
 *
 * <p>Nothing of a step is handed out before all its slices have matched the CRCs in their tables: a
 * damaged one fails the step with the bundle and slice by name, and the rank stays before it. What
 * is joined, lazily, is made of these verified slices alone.
 */
final class StepDecoder {

  private final Topology topology;
  private final String sliceFormat;
  private final Waits waits;

  StepDecoder(Topology topology, String sliceFormat, Waits waits) {
    this.topology = topology;
    this.sliceFormat = sliceFormat;
    this.waits = waits;
  }

  /**
   * @param sections those of {@code fetch}, which are here
   * @throws dev.lakestream.format.CorruptObjectException if bytes are not those that were written
   */
  RankStep decode(Fetch fetch, PlannedStep planned, Map<Integer, RankSection> sections) {
    long start = System.nanoTime();
    Mesh mesh = fetch.bundle().bundle().mesh();
    List<Part> parts =
        planned.parts() != null
            ? planned.parts()
            : topology.ofRow(
                planned.step(),
                planned.replica(),
                mesh,
                (d, c) -> sections.get(mesh.index(d, c)).table().records(planned.tgb()));
    List<Slice> slices = new ArrayList<>();
    for (Part part : parts) {
      slices.add(sections.get(mesh.index(part.d(), part.c())).slice(planned.tgb()));
    }
    List<StepPart> taken = new ArrayList<>();
    List<Part> cut = cutColumns(parts, slices, mesh);
    for (int i = 0; i < cut.size(); i++) {
      taken.add(new StepPart(cut.get(i).ofSlice(slices.get(i).records()), slices.get(i)));
    }
    waits.add(Stage.DECODE, System.nanoTime() - start);
    return new RankStep(
        planned,
        List.copyOf(taken),
        fetch.bundle(),
        fetch.version(),
        () -> joinTimed(planned, taken));
  }

  /** L stands in the slices; empty ones have no columns to cut. */
  private List<Part> cutColumns(List<Part> parts, List<Slice> slices, Mesh mesh) {
    if (!topology.cutsColumns(mesh)) {
      return parts;
    }
    for (Slice slice : slices) {
      if (slice.bytes().hasRemaining()) {
        int length = TokenSlice.decode(slice.bytes()).format().sequenceLength();
        return topology.cutColumns(parts, mesh, length);
      }
    }
    return parts;
  }

  /** The caller asks for it between two steps, and its time is not the caller's. */
  private Slice joinTimed(PlannedStep planned, List<StepPart> parts) {
    long start = System.nanoTime();
    try {
      return join(planned, parts);
    } finally {
      long elapsed = System.nanoTime() - start;
      waits.add(Stage.DECODE, elapsed);
      waits.add(Stage.CONSUMER, -elapsed);
    }
  }

  private Slice join(PlannedStep planned, List<StepPart> parts) {
    if (parts.isEmpty()) {
      return new Slice(ByteBuffer.allocate(0), 0);
    }
    if (parts.size() == 1 && parts.get(0).isWhole()) {
      return parts.get(0).slice();
    }
    return switch (sliceFormat) {
      case SliceFormats.RECORDS -> records(parts);
      case SliceFormats.TOKENS -> tokens(parts);
      case SliceFormats.ARROW ->
          throw new LakestreamException(
              "Step "
                  + planned.step()
                  + " is made of parts of "
                  + parts.size()
                  + " slices in the format 'arrow', which are not put together here: decode the slice of"
                  + " each of its parts() and take the rows that the part names.");
      default -> bytes(parts);
    };
  }

  private static String what(StepPart part) {
    return "Slice (" + part.part().d() + ", " + part.part().c() + ") of step " + part.part().step();
  }

  private static Slice records(List<StepPart> parts) {
    List<SliceJoin.Records> records = new ArrayList<>();
    int count = 0;
    for (StepPart part : parts) {
      int from = part.part().fromRecord();
      int to = part.part().toRecord();
      records.add(new SliceJoin.Records(part.slice().bytes(), from, to, what(part)));
      count += to - from;
    }
    return new Slice(SliceJoin.records(records), count);
  }

  private Slice tokens(List<StepPart> parts) {
    List<SliceJoin.Sequences> sequences = new ArrayList<>();
    int count = 0;
    for (int from = 0, end; from < parts.size(); from = end) {
      Part first = parts.get(from).part();
      end = from;
      List<ByteBuffer> chunks = new ArrayList<>();
      while (end < parts.size() && parts.get(end).part().d() == first.d()) {
        chunks.add(parts.get(end++).slice().bytes());
      }
      sequences.add(
          new SliceJoin.Sequences(
              chunks,
              first.fromRecord(),
              first.toRecord(),
              first.fromColumn(),
              first.toColumn(),
              what(parts.get(from))));
      count += first.toRecord() - first.fromRecord();
    }
    return new Slice(SliceJoin.tokens(sequences, topology.c(), topology.mesh().cp()), count);
  }

  private static Slice bytes(List<StepPart> parts) {
    int count = parts.stream().mapToInt(part -> part.slice().records()).sum();
    return new Slice(SliceJoin.bytes(parts.stream().map(p -> p.slice().bytes()).toList()), count);
  }
}
