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
package dev.lakestream.consumer.topology;

import dev.lakestream.batch.Mesh;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank takes of each step or row, whatever mesh it was written for (docs/topology.md).
 *
 * <p>Promise: for all meshes that are not refused, the union over the ranks of a consumer step, in
 * rank order, is the step's records (or its rows), each once, in the order that the page states.
 *
 * @param mode what a consumer step is
 * @param shape of the stream's slices
 * @param mesh of the job that reads
 * @param d the replica that the rank belongs to
 * @param c its chunk
 */
public record Topology(ReadMode mode, SliceShape shape, Mesh mesh, int d, int c) {

  public Topology {
    mesh.index(d, c); // Refuses what is outside the mesh.
  }

  /**
   * Refuses what cannot be read, whatever the slices hold.
   *
   * @param written the mesh of a batch
   */
  public void check(Mesh written) {
    if (isOwn(written)) {
      return;
    }
    switch (mode) {
      case EXACT ->
          throw refused(
              Refusal.MESH_DIFFERS,
              written,
              "Start as many DP and CP ranks as it was written for, or choose a mode: 'rows' (the"
                  + " global batch grows and shrinks with the DP ranks) or 'batch' (it stays what it"
                  + " is, and its records are split over them).");
      case ROWS -> checkRows(written);
      case BATCH -> checkBatch(written);
    }
  }

  private boolean isOwn(Mesh written) {
    return mode != ReadMode.ROWS && written.equals(mesh);
  }

  private void checkRows(Mesh written) {
    checkChunks(written);
    if (shape == SliceShape.OPAQUE && isSplit(written)) {
      throw needsRecords(written);
    }
  }

  private void checkBatch(Mesh written) {
    if (shape == SliceShape.OPAQUE) {
      throw needsRecords(written);
    }
    if (shape == SliceShape.CHUNKED) {
      checkChunks(written);
    }
  }

  private void checkChunks(Mesh written) {
    if (!isJoined(written) && !isSplit(written)) {
      throw refused(
          Refusal.CHUNKS_DO_NOT_DIVIDE,
          written,
          "Of the CP sizes "
              + written.cp()
              + " and "
              + mesh.cp()
              + " neither divides the other: choose a divisor or a multiple of "
              + written.cp()
              + ".");
    }
  }

  private MeshMismatchException needsRecords(Mesh written) {
    return refused(
        Refusal.NEEDS_RECORDS,
        written,
        "The slice format does not say where records begin. Read with mode 'rows' and a CP size that"
            + " divides "
            + written.cp()
            + ", or write the stream in a format with records.");
  }

  private MeshMismatchException refused(Refusal refusal, Mesh written, String why) {
    return new MeshMismatchException(
        refusal,
        "Written for a mesh of "
            + written
            + ", and this rank reads slice ("
            + d
            + ", "
            + c
            + ") of "
            + mesh
            + " in mode '"
            + mode
            + "'. "
            + why);
  }

  /** C' divides C (or is C): neighbouring chunks are joined. */
  private boolean isJoined(Mesh written) {
    return written.cp() % mesh.cp() == 0;
  }

  /** C' is a multiple of C, and not C. */
  private boolean isSplit(Mesh written) {
    return mesh.cp() > written.cp() && mesh.cp() % written.cp() == 0;
  }

  /** Whether {@link #ofStep} asks how many records the slices hold. */
  public boolean needsRecordCounts(Mesh written) {
    return mode == ReadMode.BATCH && !isOwn(written);
  }

  /**
   * The chunks of a replica that this rank's part of one row lies in: {@code [from, to)}.
   *
   * @throws MeshMismatchException if it cannot be read
   */
  public Chunks chunks(Mesh written) {
    check(written);
    if (isJoined(written)) {
      int m = written.cp() / mesh.cp();
      return new Chunks(c * m, c * m + m);
    }
    int chunk = c / (mesh.cp() / written.cp());
    return new Chunks(chunk, chunk + 1);
  }

  /** Neighbouring chunks of one replica. */
  public record Chunks(int from, int to) {}

  /**
   * What the rank takes of the row that was written for replica {@code row} of {@code step}: mode
   * {@code rows}. Columns are not cut yet, see {@link #cutColumns}.
   *
   * @param counts is asked only where a slice of records is split
   */
  public List<Part> ofRow(long step, int row, Mesh written, RecordCounts counts) {
    requireMode(mode == ReadMode.ROWS);
    Chunks chunks = chunks(written);
    List<Part> parts = new ArrayList<>();
    for (int chunk = chunks.from(); chunk < chunks.to(); chunk++) {
      parts.add(
          shape == SliceShape.FLAT && isSplit(written)
              ? share(step, row, chunk, counts.of(row, chunk), mesh.cp() / written.cp())
              : Part.whole(step, row, chunk));
    }
    return parts;
  }

  private Part share(long step, int row, int chunk, int records, int m) {
    int p = c % m;
    return Part.records(
        step, row, chunk, (int) Shares.begin(records, p, m), (int) Shares.begin(records, p + 1, m));
  }

  /**
   * What the rank takes of a step of the stream: modes {@code exact} and {@code batch}. No part is
   * empty unless it is the rank's own slice; columns are not cut yet, see {@link #cutColumns}.
   *
   * @param counts is asked only if {@link #needsRecordCounts}
   */
  public List<Part> ofStep(long step, Mesh written, RecordCounts counts) {
    requireMode(mode != ReadMode.ROWS);
    check(written);
    if (isOwn(written)) {
      return List.of(Part.whole(step, d, c));
    }
    return shape == SliceShape.CHUNKED
        ? ofChunkedBatch(step, written, counts)
        : ofFlatBatch(step, written, counts);
  }

  private List<Part> ofChunkedBatch(long step, Mesh written, RecordCounts counts) {
    long n = 0;
    for (int replica = 0; replica < written.dp(); replica++) {
      n += sequences(replica, written, counts);
    }
    long begin = Shares.begin(n, d, mesh.dp());
    long end = Shares.begin(n, d + 1, mesh.dp());
    Chunks chunks = chunks(written);
    List<Part> parts = new ArrayList<>();
    long at = 0;
    for (int replica = 0; replica < written.dp() && at < end; replica++) {
      int held = counts.of(replica, 0);
      long from = Math.max(begin - at, 0); // Past an int where a whole slice lies before it.
      long to = Math.min(end - at, held);
      for (int chunk = chunks.from(); from < to && chunk < chunks.to(); chunk++) {
        parts.add(Part.records(step, replica, chunk, (int) from, (int) to));
      }
      at += held;
    }
    return parts;
  }

  /** How many sequences a replica has, which all of its chunks must say. */
  private int sequences(int replica, Mesh written, RecordCounts counts) {
    int held = counts.of(replica, 0);
    for (int chunk = 1; chunk < written.cp(); chunk++) {
      if (counts.of(replica, chunk) != held) {
        throw refused(
            Refusal.CHUNKS_DIFFER,
            written,
            "Chunk 0 of replica "
                + replica
                + " holds "
                + held
                + " sequences and chunk "
                + chunk
                + " holds "
                + counts.of(replica, chunk)
                + ": the batch is damaged, or its format is not what the stream says.");
      }
    }
    return held;
  }

  private List<Part> ofFlatBatch(long step, Mesh written, RecordCounts counts) {
    long n = 0;
    for (int r = 0; r < written.slices(); r++) {
      n += counts.of(r / written.cp(), r % written.cp());
    }
    long first = Shares.begin(n, d, mesh.dp());
    long share = Shares.begin(n, d + 1, mesh.dp()) - first;
    long begin = first + Shares.begin(share, c, mesh.cp());
    long end = first + Shares.begin(share, c + 1, mesh.cp());
    List<Part> parts = new ArrayList<>();
    long at = 0;
    for (int r = 0; r < written.slices() && at < end; r++) {
      int held = counts.of(r / written.cp(), r % written.cp());
      long from = Math.max(begin - at, 0); // Past an int where a whole slice lies before it.
      long to = Math.min(end - at, held);
      if (from < to) {
        parts.add(Part.records(step, r / written.cp(), r % written.cp(), (int) from, (int) to));
      }
      at += held;
    }
    return parts;
  }

  private static void requireMode(boolean held) {
    if (!held) {
      throw new IllegalStateException("Rows are taken in mode 'rows', and steps in the others.");
    }
  }

  /** Whether the rank takes some columns only of each sequence. */
  public boolean cutsColumns(Mesh written) {
    return shape == SliceShape.CHUNKED && !isOwn(written) && isSplit(written);
  }

  /**
   * The parts with the columns that the rank takes, where a chunk is cut; otherwise as they are.
   *
   * @param sequenceLength L, the tokens of a whole sequence
   * @throws MeshMismatchException if a sequence cannot be cut into C' equal chunks
   */
  public List<Part> cutColumns(List<Part> parts, Mesh written, int sequenceLength) {
    if (!cutsColumns(written)) {
      return parts;
    }
    if (sequenceLength % mesh.cp() != 0) {
      throw refused(
          Refusal.SEQUENCE_DOES_NOT_DIVIDE,
          written,
          "A sequence of "
              + sequenceLength
              + " tokens cannot be cut into "
              + mesh.cp()
              + " equal chunks: choose a CP size that divides it.");
    }
    int columns = sequenceLength / mesh.cp();
    int from = c % (mesh.cp() / written.cp()) * columns;
    return parts.stream().map(part -> part.columns(from, from + columns)).toList();
  }

  /**
   * Refuses a cursor that this topology cannot go on from.
   *
   * @param saved the mesh that the cursor was taken with
   * @param row where the cursor stands; a row of {@code step}
   * @param firstRow the first row of {@code step}
   * @param written the mesh of {@code step}; of no meaning at its first row
   */
  public void checkResume(Mesh saved, long step, long row, long firstRow, Mesh written) {
    if (mode == ReadMode.EXACT && !saved.equals(mesh)) {
      throw new MeshMismatchException(
          Refusal.MESH_DIFFERS,
          "The cursor was taken with a mesh of "
              + saved
              + " ("
              + saved.slices()
              + " DP x CP ranks), and this rank reads slice ("
              + d
              + ", "
              + c
              + ") of "
              + mesh
              + " ("
              + mesh.slices()
              + " ranks) in mode 'exact'. Resume with as many DP and CP ranks as the cursor was taken"
              + " with, or choose a mode: 'rows' (the global batch grows and shrinks with the DP"
              + " ranks) or 'batch' (it stays what it is, and its records are split over them).");
    }
    if (mode != ReadMode.ROWS && row != firstRow) {
      long left = firstRow + written.dp() - row;
      throw new MeshMismatchException(
          Refusal.INSIDE_A_STEP,
          "The cursor was taken in mode 'rows' with a mesh of "
              + saved
              + " and stands at row "
              + row
              + ", inside step "
              + step
              + " (rows "
              + firstRow
              + " to "
              + (firstRow + written.dp() - 1)
              + "): mode '"
              + mode
              + "' reads whole steps. Go on in mode 'rows'; with "
              + left
              + " DP ranks, or a divisor of that, it comes to the end of the step.");
    }
  }
}
