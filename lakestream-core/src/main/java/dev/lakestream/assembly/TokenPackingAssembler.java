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
import dev.lakestream.batch.slice.TokenFormat;
import dev.lakestream.batch.slice.TokenSegment;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Packs tokenised documents into sequences of L tokens, and every D x sequencesPerReplica closed
 * sequences into a batch: sequence i of a batch goes to replica {@code i / sequencesPerReplica},
 * cut into C chunks of L/C tokens. Slices are in the format {@code tokens}, and all have the same
 * shape: a last, partial batch is filled up with sequences of padding.
 *
 * <p>Memory: at most 2 x D x sequencesPerReplica + lookahead sequences, and the document that is
 * being added.
 */
public final class TokenPackingAssembler implements BatchAssembler {

  private final Mesh mesh;
  private final TokenFormat format;
  private final int sequencesPerReplica;
  private final int sequencesPerBatch;
  private final Packer packer;
  private final ArrayDeque<Bin> closed = new ArrayDeque<>();
  private long arrivals;
  private long pendingBytes;
  private long sequences;
  private long tokens;
  private boolean finished;

  /**
   * @param sequenceLength L, a multiple of the mesh's C
   * @param sequencesPerReplica how many sequences a replica has in each batch
   * @param padToken fills the ends of sequences
   * @param width of a stored token
   * @param lookahead with {@link Packing#BEST_FIT}, how many sequences may be open beyond those of
   *     one batch: more of them means less padding, more memory and later publication
   * @throws InvalidBatchException if these do not go together
   */
  public TokenPackingAssembler(
      Mesh mesh,
      int sequenceLength,
      int sequencesPerReplica,
      int padToken,
      TokenWidth width,
      Packing packing,
      int lookahead) {
    this.mesh = mesh;
    this.format = new TokenFormat(sequenceLength, mesh.cp(), width, padToken);
    long perBatch = (long) mesh.dp() * sequencesPerReplica;
    if (sequencesPerReplica < 1 || lookahead < 0 || perBatch + lookahead > Integer.MAX_VALUE) {
      throw new InvalidBatchException(
          "Token packing with "
              + sequencesPerReplica
              + " sequences per replica and a lookahead of "
              + lookahead
              + " for a mesh of "
              + mesh
              + ": at least 1 sequence, a lookahead of 0 or more, together fewer than 2^31.");
    }
    this.sequencesPerReplica = sequencesPerReplica;
    this.sequencesPerBatch = (int) perBatch;
    this.packer =
        switch (packing) {
          case BEST_FIT ->
              new BestFitPacker(sequenceLength, sequencesPerBatch + lookahead, closed::add);
          case CONCATENATE -> new ConcatenatingPacker(sequenceLength, closed::add);
        };
  }

  /**
   * {@inheritDoc}
   *
   * <p>Refused as well: a token that does not fit into the width.
   */
  @Override
  public void add(Sample sample) {
    if (finished) {
      throw new IllegalStateException("The input has ended.");
    }
    Sample.Tokens document = checked(sample);
    pendingBytes += document.bytes();
    packer.add(new Bin.Piece(arrivals++, document));
  }

  @Override
  public void check(Sample sample) {
    checked(sample);
  }

  private Sample.Tokens checked(Sample sample) {
    if (!(sample instanceof Sample.Tokens document)) {
      throw new InvalidSampleException(
          "Sample "
              + Sample.idText(sample.id())
              + " is made of bytes; token packing takes tokens.");
    }
    IntBuffer values = document.tokens();
    for (int i = 0; i < values.limit(); i++) {
      if (!format.width().holds(values.get(i))) {
        throw new InvalidSampleException(
            "Token "
                + values.get(i)
                + " at position "
                + (document.firstPosition() + i)
                + " of sample "
                + Sample.idText(document.id())
                + " does not fit into "
                + format.width().bytes()
                + " bytes: token ids here are from 0 to "
                + format.width().maxToken()
                + ". Use a wider token width.");
      }
    }
    return document;
  }

  @Override
  public Optional<GlobalBatch> poll() {
    return closed.size() < sequencesPerBatch ? Optional.empty() : Optional.of(emit());
  }

  @Override
  public List<Sample> pending() {
    return Stream.concat(closed.stream(), packer.open().stream())
        .flatMap(bin -> bin.pieces().stream())
        .sorted(
            Comparator.comparingLong(Bin.Piece::arrival)
                .thenComparingInt(piece -> piece.sample().firstPosition()))
        .<Sample>map(Bin.Piece::sample)
        .toList();
  }

  @Override
  public long pendingBytes() {
    return pendingBytes;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Sequences are closed fullest first, so that {@link RemainderPolicy#DROP} loses as few tokens
   * as it can.
   */
  @Override
  public List<GlobalBatch> finish(RemainderPolicy policy) {
    int remainder = (closed.size() + packer.open().size()) % sequencesPerBatch;
    boolean emitsRemainder =
        remainder > 0 && policy.emits(remainder, sequencesPerBatch, "sequences");
    finished = true;
    packer.closeAll();
    List<GlobalBatch> batches = new ArrayList<>();
    while (closed.size() >= sequencesPerBatch || (emitsRemainder && !closed.isEmpty())) {
      batches.add(emit());
    }
    closed.clear();
    pendingBytes = 0;
    return batches;
  }

  /** Of all batches that were emitted. */
  public PackingStatistics statistics() {
    return new PackingStatistics(sequences, tokens, sequences * format.sequenceLength() - tokens);
  }

  private GlobalBatch emit() {
    List<Slice> slices = new ArrayList<>(mesh.slices());
    List<Sample> samples = new ArrayList<>();
    for (int d = 0; d < mesh.dp(); d++) {
      List<List<TokenSegment>> part = new ArrayList<>(sequencesPerReplica);
      for (int i = 0; i < sequencesPerReplica; i++) {
        part.add(closed.isEmpty() ? Collections.emptyList() : take(closed.remove(), samples));
      }
      for (int c = 0; c < mesh.cp(); c++) {
        slices.add(new Slice(TokenSlice.encode(format, c, part), sequencesPerReplica));
      }
    }
    sequences += sequencesPerBatch;
    return new GlobalBatch(mesh, slices, EventTimes.of(samples), BatchAttributes.of(samples));
  }

  private List<TokenSegment> take(Bin bin, List<Sample> samples) {
    tokens += bin.used();
    pendingBytes -= 4L * bin.used();
    List<TokenSegment> sequence = new ArrayList<>(bin.pieces().size());
    for (Bin.Piece piece : bin.pieces()) {
      Sample.Tokens sample = piece.sample();
      samples.add(sample);
      sequence.add(new TokenSegment(sample.id(), sample.firstPosition(), sample.tokens()));
    }
    return sequence;
  }
}
