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
package dev.lakestream.flink.sink;

import dev.lakestream.assembly.BatchAssembler;
import dev.lakestream.assembly.CountAssembler;
import dev.lakestream.assembly.Packing;
import dev.lakestream.assembly.TokenPackingAssembler;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.batch.slice.TokenWidth;
import java.io.Serializable;

/** How a writer makes global batches of samples. Goes into the job graph. */
public sealed interface Assembly extends Serializable {

  /** A new assembler for one writer. */
  BatchAssembler assembler(Mesh mesh);

  /** The slice format that the batches are in. */
  String sliceFormat();

  /** Batches of D x {@code samplesPerSlice} samples of bytes, in the slice format records. */
  static Assembly byCount(int samplesPerSlice) {
    return new ByCount(samplesPerSlice);
  }

  /**
   * Documents packed into sequences of {@code sequenceLength} tokens, D x {@code
   * sequencesPerReplica} of them a batch, in the slice format tokens.
   */
  static TokenPacking tokenPacking(int sequenceLength, int sequencesPerReplica) {
    return new TokenPacking(
        sequenceLength, sequencesPerReplica, 0, TokenWidth.U32, Packing.BEST_FIT, 64);
  }

  /**
   * Batches of D x C x {@code samplesPerSlice} samples of bytes, in a slice format of its own. The
   * chunks of a replica hold different samples.
   */
  static Assembly bySlice(int samplesPerSlice, SliceEncoding encoding) {
    return new BySlice(samplesPerSlice, encoding);
  }

  /** See {@link #byCount}. */
  record ByCount(int samplesPerSlice) implements Assembly {
    private static final long serialVersionUID = 1L;

    @Override
    public BatchAssembler assembler(Mesh mesh) {
      return new CountAssembler(mesh, samplesPerSlice);
    }

    @Override
    public String sliceFormat() {
      return SliceFormats.RECORDS;
    }
  }

  /** See {@link #bySlice}. */
  record BySlice(int samplesPerSlice, SliceEncoding encoding) implements Assembly {
    private static final long serialVersionUID = 1L;

    @Override
    public BatchAssembler assembler(Mesh mesh) {
      return new CountAssembler(mesh, samplesPerSlice, encoding.encoder(), encoding.placed());
    }

    @Override
    public String sliceFormat() {
      return encoding.sliceFormat();
    }
  }

  /**
   * See {@link #tokenPacking}.
   *
   * @param padToken fills the ends of sequences
   * @param width of a stored token
   * @param lookahead how many sequences may be open beyond those of one batch; more make less
   *     padding and take more memory
   */
  record TokenPacking(
      int sequenceLength,
      int sequencesPerReplica,
      int padToken,
      TokenWidth width,
      Packing packing,
      int lookahead)
      implements Assembly {
    private static final long serialVersionUID = 1L;

    public TokenPacking padToken(int value) {
      return new TokenPacking(
          sequenceLength, sequencesPerReplica, value, width, packing, lookahead);
    }

    public TokenPacking width(TokenWidth value) {
      return new TokenPacking(
          sequenceLength, sequencesPerReplica, padToken, value, packing, lookahead);
    }

    public TokenPacking packing(Packing value) {
      return new TokenPacking(
          sequenceLength, sequencesPerReplica, padToken, width, value, lookahead);
    }

    public TokenPacking lookahead(int value) {
      return new TokenPacking(sequenceLength, sequencesPerReplica, padToken, width, packing, value);
    }

    @Override
    public BatchAssembler assembler(Mesh mesh) {
      return new TokenPackingAssembler(
          mesh, sequenceLength, sequencesPerReplica, padToken, width, packing, lookahead);
    }

    @Override
    public String sliceFormat() {
      return SliceFormats.TOKENS;
    }
  }
}
