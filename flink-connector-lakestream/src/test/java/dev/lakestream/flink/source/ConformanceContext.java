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
package dev.lakestream.flink.source;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.producer.Producer;
import java.net.URL;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.testframe.external.ExternalSystemSplitDataWriter;
import org.apache.flink.connector.testframe.external.source.DataStreamSourceExternalContext;
import org.apache.flink.connector.testframe.external.source.TestingSourceSettings;

/**
 * A stream for Flink's suite. What the suite calls a split, whose records come in order, is a slice
 * position here.
 */
final class ConformanceContext implements DataStreamSourceExternalContext<String> {

  private static final Mesh MESH = new Mesh(8, 1);

  private final TestStream stream = TestStream.inMemory(MESH);
  private final List<Producer> producers = new ArrayList<>();

  @Override
  public Source<String, ?, ?> createSource(TestingSourceSettings settings) {
    boolean bounded = settings.getBoundedness() == Boundedness.BOUNDED;
    return LakestreamSource.<String>builder()
        .path(stream.address())
        .deserializer(TextDeserializer.create())
        .order(ReadOrder.SLICE)
        .boundedBy(bounded ? BoundedMode.latest() : BoundedMode.none())
        .discoveryInterval(Duration.ofMillis(20))
        .build();
  }

  @Override
  public ExternalSystemSplitDataWriter<String> createSourceSplitDataWriter(
      TestingSourceSettings settings) {
    int position = producers.size();
    Producer producer =
        Producer.builder(stream.stream(), "writer-" + position)
            .linger(Duration.ofMillis(10))
            .build();
    producers.add(producer);
    return new ExternalSystemSplitDataWriter<>() {
      @Override
      public void writeRecords(List<String> records) {
        for (int from = 0; from < records.size(); from += 5) {
          int to = Math.min(records.size(), from + 5);
          producer.append(batch(position, records.subList(from, to)), ByteString.EMPTY);
        }
        producer.flush();
      }

      @Override
      public void close() {}
    };
  }

  private static GlobalBatch batch(int position, List<String> records) {
    List<Slice> slices = new ArrayList<>();
    for (int d = 0; d < MESH.dp(); d++) {
      slices.add(TestStream.slice(d == position ? records : List.of()));
    }
    return GlobalBatch.of(MESH, slices);
  }

  @Override
  public List<String> generateTestData(TestingSourceSettings settings, int split, long seed) {
    Random random = new Random(seed);
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      records.add(split + "-" + i + "-" + Integer.toHexString(random.nextInt()));
    }
    return records;
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }

  @Override
  public List<URL> getConnectorJarPaths() {
    return List.of();
  }

  @Override
  public void close() {
    producers.forEach(Producer::close);
  }
}
