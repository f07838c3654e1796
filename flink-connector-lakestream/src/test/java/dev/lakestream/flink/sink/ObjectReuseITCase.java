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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Slice;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ObjectReuseITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  @Test
  void aRowThatItsSenderUsesAgainIsWrittenAsItWas() throws Exception {
    String address = directory.resolve("stream").toUri().toString();
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setParallelism(1);
    environment.enableCheckpointing(600_000);
    environment.getConfig().enableObjectReuse();
    environment
        .fromSource(
            new DataGeneratorSource<>(i -> i, 100, Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .map(new OneRow())
        .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
        .sinkTo(
            LakestreamSink.<byte[]>builder()
                .path(address)
                .mesh(SinkJob.MESH)
                .batches(
                    row ->
                        GlobalBatch.of(
                            SinkJob.MESH, List.of(Slice.of(row, 1), Slice.of(new byte[0], 0))))
                .build());
    environment.execute();

    assertThat(StreamContents.of(address).steps())
        .extracting(slices -> slices.get(0).bytes().getLong(0))
        .containsExactlyElementsOf(LongStream.range(0, 100).boxed().toList());
  }

  /** Emits the same array each time. */
  private static final class OneRow implements MapFunction<Long, byte[]> {
    private static final long serialVersionUID = 1L;

    private final byte[] row = new byte[Long.BYTES];

    @Override
    public byte[] map(Long number) {
      ByteBuffer.wrap(row).putLong(number);
      return row;
    }
  }
}
