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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.WrittenSteps.Position;
import java.util.ArrayList;
import java.util.List;

/** What the ranks read: the units of their parts. */
final class UnitsRead {

  private UnitsRead() {}

  static List<Unit> of(WrittenSteps stream, List<Part> parts) {
    List<Unit> units = new ArrayList<>();
    if (stream.shape() != SliceShape.CHUNKED) {
      for (Part part : parts) {
        for (int i = part.fromRecord(); i < to(stream, part); i++) {
          units.add(new Unit(part.step(), part.d(), part.c(), i, -1));
        }
      }
      return units;
    }
    // Parts of one replica stand side by side and are joined along the sequence.
    for (int from = 0, end; from < parts.size(); from = end) {
      end = from;
      while (end < parts.size() && parts.get(end).d() == parts.get(from).d()) {
        end++;
      }
      Part first = parts.get(from);
      for (int i = first.fromRecord(); i < to(stream, first); i++) {
        for (Part part : parts.subList(from, end)) {
          assertThat(part.fromRecord()).isEqualTo(first.fromRecord());
          assertThat(part.toRecord()).isEqualTo(first.toRecord());
          int width = stream.sequenceLength() / stream.bundleOfStep(part.step()).mesh().cp();
          int begin = part.fromColumn() == Part.ALL ? 0 : part.fromColumn();
          int stop = part.fromColumn() == Part.ALL ? width : part.toColumn();
          for (int column = begin; column < stop; column++) {
            units.add(new Unit(part.step(), part.d(), -1, i, part.c() * width + column));
          }
        }
      }
    }
    return units;
  }

  private static int to(WrittenSteps stream, Part part) {
    int held = stream.bundleOfStep(part.step()).counts(part.step()).of(part.d(), part.c());
    return part.ofSlice(held).toRecord();
  }

  /** The union over the ranks of one consumer step, in rank order. */
  static List<Unit> union(WrittenSteps stream, Position at, ReadMode mode, Mesh reader) {
    List<Unit> union = new ArrayList<>();
    for (int d = 0; d < reader.dp(); d++) {
      List<List<Unit>> chunks = new ArrayList<>();
      for (int c = 0; c < reader.cp(); c++) {
        Topology rank = new Topology(mode, stream.shape(), reader, d, c);
        chunks.add(of(stream, stream.parts(at, rank)));
      }
      if (stream.shape() == SliceShape.CHUNKED) {
        union.addAll(joinedAlongTheSequence(chunks, stream.sequenceLength()));
      } else {
        chunks.forEach(union::addAll);
      }
    }
    return union;
  }

  /** Each rank holds the same sequences, and L / C' of the L tokens of each. */
  private static List<Unit> joinedAlongTheSequence(List<List<Unit>> chunks, int length) {
    List<Unit> joined = new ArrayList<>();
    int width = length / chunks.size();
    for (int from = 0; from < chunks.get(0).size(); from += width) {
      for (List<Unit> chunk : chunks) {
        joined.addAll(chunk.subList(from, from + width));
      }
    }
    assertThat(joined).hasSize(chunks.stream().mapToInt(List::size).sum());
    return joined;
  }
}
