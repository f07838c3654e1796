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
package dev.lakestream.examples.quickstart;

import dev.lakestream.assembly.Packing;
import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.sink.Assembly;
import dev.lakestream.flink.sink.LakestreamSink;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

/**
 * Reads text files, tokenises them, packs the tokens into sequences of fixed length and writes them
 * as a training stream, exactly once.
 *
 * <pre>
 * --input DIR        the text files, at any depth
 * --stream ADDRESS   where the stream is, or is to be created
 * --checkpoints DIR  where Flink keeps its checkpoints
 * --restore DIR      the checkpoint to go on from, if any
 * --checkpoint-interval MILLIS
 * --tokens bytes     each byte of the text is a token, instead of the byte-pair encoding; the training example's
 * --sequence-length TOKENS
 * --sequences-per-replica COUNT
 * </pre>
 */
public final class QuickstartJob {

  /** Two data-parallel replicas, each of two context-parallel ranks. */
  static final Mesh MESH = new Mesh(2, 2);

  static final int SEQUENCE_LENGTH = 2048;
  static final int SEQUENCES_PER_REPLICA = 4;
  static final int PARALLELISM = 2;

  private QuickstartJob() {}

  /** Of all replicas, padding included. */
  static long tokensPerStep() {
    return (long) MESH.dp() * SEQUENCES_PER_REPLICA * SEQUENCE_LENGTH;
  }

  public static void main(String[] args) throws Exception {
    ParameterTool arguments = ParameterTool.fromArgs(args);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration(arguments));
    environment.setParallelism(PARALLELISM);
    define(environment, arguments);
    environment.execute("Lakestream quickstart");
  }

  private static void define(StreamExecutionEnvironment environment, ParameterTool arguments) {
    Path input = new Path(arguments.getRequired("input"));
    FileSource<Document> files =
        FileSource.forBulkFileFormat(new WholeFileFormat(input), input).build();

    LakestreamSink<TokenizedDocument> sink =
        LakestreamSink.<TokenizedDocument>builder()
            .path(arguments.getRequired("stream"))
            .mesh(MESH)
            .samples(document -> Sample.ofTokens(document.id(), document.tokens()))
            .assembler(
                Assembly.tokenPacking(
                        arguments.getInt("sequence-length", SEQUENCE_LENGTH),
                        arguments.getInt("sequences-per-replica", SEQUENCES_PER_REPLICA))
                    .packing(Packing.BEST_FIT))
            .build();

    environment
        .fromSource(files, WatermarkStrategy.noWatermarks(), "Text files")
        .uid("files")
        .map(new Tokenize(arguments.get("tokens", Tokenizer.NAME).equals("bytes")))
        .name("Tokenise")
        .uid("tokenise")
        .filter(document -> document.tokens().length > 0)
        .name("Without empty files")
        .uid("not-empty")
        .sinkTo(sink)
        .name("Training stream")
        .uid("stream");
  }

  private static final class Tokenize extends RichMapFunction<Document, TokenizedDocument> {

    private static final long serialVersionUID = 1L;

    private final boolean bytes;
    private transient Tokenizer tokenizer;

    private Tokenize(boolean bytes) {
      this.bytes = bytes;
    }

    @Override
    public void open(OpenContext context) {
      tokenizer = new Tokenizer();
    }

    @Override
    public TokenizedDocument map(Document document) {
      String text = document.text();
      return new TokenizedDocument(
          Document.id(document.name()), bytes ? Tokenizer.bytes(text) : tokenizer.encode(text));
    }
  }

  /** On a cluster most of this stands in Flink's own configuration. */
  private static Configuration configuration(ParameterTool arguments) {
    Configuration configuration = new Configuration();
    configuration.set(
        CheckpointingOptions.CHECKPOINTING_INTERVAL,
        Duration.ofMillis(arguments.getLong("checkpoint-interval", 1000)));
    configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, arguments.getRequired("checkpoints"));
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "disable");
    if (arguments.has("restore")) {
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, arguments.get("restore"));
    }
    return configuration;
  }
}
