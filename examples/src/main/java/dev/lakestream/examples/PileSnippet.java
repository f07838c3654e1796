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
package dev.lakestream.examples;

import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.examples.quickstart.TokenizedDocument;
import dev.lakestream.flink.sink.Assembly;
import dev.lakestream.flink.sink.LakestreamSink;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Writing a stream from Flink, as docs/datastream.md shows it. */
final class PileSnippet {

  /** A constant: a mesh is not serializable, and the mapper goes to the task managers. */
  private static final Mesh MESH = new Mesh(2, 1);

  private PileSnippet() {}

  /**
   * @param address for instance {@code s3://bucket/streams/pile}
   */
  static void write(DataStream<TokenizedDocument> documents, String address) {
    // README:begin
    documents
        .sinkTo(
            LakestreamSink.<TokenizedDocument>builder()
                .path(address) // for instance s3://bucket/streams/pile
                .mesh(new Mesh(8, 2)) // D = 8 replicas, C = 2 context-parallel ranks
                .samples(document -> Sample.ofTokens(document.id(), document.tokens()))
                .assembler(Assembly.tokenPacking(8192, 4)) // sequences of 8192 tokens, 4 a replica
                .shuffle(42, 10_000) // optional
                .build())
        .name("pile")
        .uid("pile");
    // README:end
  }

  /** Elements that are whole batches: the bytes of each slice of a mesh of 2 x 1. */
  static void writeBatches(DataStream<byte[][]> rows, String address) {
    rows.sinkTo(
            LakestreamSink.<byte[][]>builder()
                .path(address)
                .mesh(MESH)
                // README:begin batches
                .batches(row -> GlobalBatch.of(MESH, slicesOf(row)))
                .sliceFormat("raw") // what the bytes of a slice are; recorded with the stream
                // README:end
                .build())
        .uid("batches");
  }

  private static List<Slice> slicesOf(byte[][] row) {
    List<Slice> slices = new ArrayList<>();
    for (byte[] bytes : row) {
      slices.add(Slice.of(bytes, 1));
    }
    return slices;
  }
}
