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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Slice;
import dev.lakestream.format.CorruptObjectException;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes documents out of {@link TokenSlice}s, or whole sequences. The number and length of the
 * sequences stay, since a training loop relies on them: what follows a document in its sequence
 * moves up, and the sequence ends in more padding.
 */
public final class TokenEditor implements SliceEditor {

  @Override
  public String format() {
    return SliceFormats.TOKENS;
  }

  @Override
  public Edit without(Removal removal, int dp, List<Slice> chunks, String what) {
    if (removal instanceof Removal.Contents) {
      throw new InvalidBatchException(
          what
              + " is of the format \"tokens\", which keeps no content hashes. Name the documents by"
              + " their sample ids, or the sequences by their numbers.");
    }
    List<TokenSlice> decoded =
        chunks.stream().map(chunk -> TokenSlice.decode(chunk.bytes(), what)).toList();
    int count = decoded.get(0).count();
    if (count == 0) {
      return new Edit(chunks, 0);
    }
    for (int c = 0; c < decoded.size(); c++) {
      TokenSlice chunk = decoded.get(c);
      if (chunk.count() != count
          || chunk.chunk() != c
          || chunk.format().chunks() != chunks.size()) {
        throw new CorruptObjectException(
            what + ": chunk " + c + " does not belong to the sequences of chunk 0.");
      }
    }
    if (removal instanceof Removal.Records numbers && numbers.dp() == dp) {
      SliceChecks.requireRecord(numbers.records().last(), count, what);
    }
    long removed = 0;
    List<List<TokenSegment>> sequences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<TokenSegment> segments = segments(decoded, i);
      int before = segments.size();
      if (removal instanceof Removal.Samples samples) {
        segments.removeIf(segment -> samples.ids().contains(segment.sampleId()));
      } else if (removal instanceof Removal.Records numbers
          && numbers.dp() == dp
          && numbers.records().contains(i)) {
        segments.clear();
      }
      removed += before - segments.size();
      sequences.add(segments);
    }
    if (removed == 0) {
      return new Edit(chunks, 0);
    }
    List<Slice> edited = new ArrayList<>();
    for (int c = 0; c < chunks.size(); c++) {
      edited.add(
          new Slice(
              TokenSlice.encode(decoded.get(0).format(), c, sequences), chunks.get(c).records()));
    }
    return new Edit(edited, removed);
  }

  /** The documents of sequence {@code i}, put together from all chunks. */
  private static List<TokenSegment> segments(List<TokenSlice> chunks, int i) {
    TokenFormat format = chunks.get(0).format();
    int[] tokens = new int[format.sequenceLength()];
    for (int c = 0; c < chunks.size(); c++) {
      System.arraycopy(
          chunks.get(c).tokens(i), 0, tokens, c * format.chunkLength(), format.chunkLength());
    }
    List<TokenSlice.Boundary> boundaries = chunks.get(0).boundaries(i);
    int real = chunks.get(0).paddingFrom(i);
    List<TokenSegment> segments = new ArrayList<>();
    for (int b = 0; b < boundaries.size(); b++) {
      TokenSlice.Boundary boundary = boundaries.get(b);
      int end = b + 1 < boundaries.size() ? boundaries.get(b + 1).start() : real;
      segments.add(
          new TokenSegment(
              boundary.sampleId(),
              boundary.firstPosition(),
              IntBuffer.wrap(tokens, boundary.start(), end - boundary.start())));
    }
    return segments;
  }
}
