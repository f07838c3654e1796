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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenSlice.Boundary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rebuilds documents from packed batches as C ranks see them together, and checks on the way that
 * what a rank derives for its chunk agrees with the whole sequence.
 */
final class PackedTokens {

  private final Map<Long, Map<Integer, Integer>> documents = new TreeMap<>();
  private final Map<Long, Integer> segments = new TreeMap<>();
  private long padding;

  /** Takes all tokens of a batch. */
  void add(GlobalBatch batch) {
    Mesh mesh = batch.mesh();
    for (int d = 0; d < mesh.dp(); d++) {
      List<TokenSlice> chunks = new ArrayList<>();
      for (int c = 0; c < mesh.cp(); c++) {
        chunks.add(TokenSlice.decode(batch.slices().get(mesh.index(d, c)).bytes()));
        assertThat(chunks.get(c).chunk()).isEqualTo(c);
        assertThat(batch.slices().get(mesh.index(d, c)).records()).isEqualTo(chunks.get(c).count());
      }
      for (int i = 0; i < chunks.get(0).count(); i++) {
        addSequence(chunks, i);
      }
    }
  }

  private void addSequence(List<TokenSlice> chunks, int i) {
    TokenSlice first = chunks.get(0);
    int length = first.format().sequenceLength();
    int chunkLength = first.format().chunkLength();
    int[] tokens = new int[length];
    int[] positions = new int[length];
    int[] segmentIds = new int[length];
    int[] targets = new int[length];
    for (int c = 0; c < chunks.size(); c++) {
      TokenSlice chunk = chunks.get(c);
      System.arraycopy(chunk.tokens(i), 0, tokens, c * chunkLength, chunkLength);
      System.arraycopy(chunk.positions(i), 0, positions, c * chunkLength, chunkLength);
      System.arraycopy(chunk.segmentIds(i), 0, segmentIds, c * chunkLength, chunkLength);
      System.arraycopy(chunk.targets(i), 0, targets, c * chunkLength, chunkLength);
      assertThat(chunk.boundaries(i)).isEqualTo(first.boundaries(i));
      assertThat(chunk.paddingFrom(i)).isEqualTo(first.paddingFrom(i));
      assertThat(chunk.cuSeqlens(i)).isEqualTo(first.cuSeqlens(i));
    }
    int real = first.paddingFrom(i);
    List<Boundary> boundaries = first.boundaries(i);
    for (int b = 0; b < boundaries.size(); b++) {
      Boundary boundary = boundaries.get(b);
      int end = b + 1 < boundaries.size() ? boundaries.get(b + 1).start() : real;
      segments.merge(boundary.sampleId(), 1, Integer::sum);
      for (int at = boundary.start(); at < end; at++) {
        int position = boundary.firstPosition() + at - boundary.start();
        assertThat(positions[at]).isEqualTo(position);
        assertThat(segmentIds[at]).isEqualTo(b + 1);
        assertThat(targets[at]).isEqualTo(at + 1 < end ? tokens[at + 1] : TokenSlice.NO_TOKEN);
        assertThat(
                documents
                    .computeIfAbsent(boundary.sampleId(), id -> new TreeMap<>())
                    .put(position, tokens[at]))
            .as("token at %s of document %s twice", position, boundary.sampleId())
            .isNull();
      }
    }
    for (int at = real; at < length; at++) {
      padding++;
      assertThat(tokens[at]).isEqualTo(first.format().padToken());
      assertThat(positions[at]).isZero();
      assertThat(segmentIds[at]).isZero();
      assertThat(targets[at]).isEqualTo(TokenSlice.NO_TOKEN);
    }
  }

  /** For each document that was met its tokens by position, which may have gaps. */
  Map<Long, Map<Integer, Integer>> documents() {
    return documents;
  }

  /** Into how many segments a document was cut. */
  int segments(long id) {
    return segments.get(id);
  }

  long padding() {
    return padding;
  }

  long tokens() {
    return documents.values().stream().mapToLong(Map::size).sum();
  }

  /** That every document is here whole, and nothing else. */
  void assertAreExactly(List<int[]> expected) {
    assertThat(documents).hasSize(expected.size());
    for (int id = 0; id < expected.size(); id++) {
      int[] tokens = expected.get(id);
      Map<Integer, Integer> found = documents.get((long) id);
      assertThat(found).as("document %s", id).hasSize(tokens.length);
      for (int position = 0; position < tokens.length; position++) {
        assertThat(found.get(position)).isEqualTo(tokens[position]);
      }
    }
  }
}
