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
import dev.lakestream.batch.Mesh;
import dev.lakestream.examples.quickstart.TokenizedDocument;
import dev.lakestream.flink.sink.Assembly;
import dev.lakestream.flink.sink.LakestreamSink;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Writing a stream from Flink, as the README shows it. */
final class DataStreamSnippet {

  private DataStreamSnippet() {}

  /**
   * @param address for instance {@code s3://bucket/stream}
   */
  static void write(
      StreamExecutionEnvironment environment,
      DataStream<TokenizedDocument> documents,
      String address) {
    // README:begin
    environment.enableCheckpointing(10_000); // what a checkpoint covers becomes visible together

    documents
        .sinkTo(
            LakestreamSink.<TokenizedDocument>builder()
                .path(address) // s3://bucket/stream, or file:///data/stream
                .mesh(new Mesh(2, 2)) // D data-parallel replicas x C context-parallel ranks
                .samples(document -> Sample.ofTokens(document.id(), document.tokens()))
                .assembler(Assembly.tokenPacking(2048, 4)) // 4 sequences of 2,048 for each replica
                .build())
        .uid("training stream");
    // README:end
  }
}
