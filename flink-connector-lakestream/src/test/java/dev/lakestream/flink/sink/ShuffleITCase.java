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

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The seeded shuffle over writers, as far as its order is promised (docs/datastream.md). */
class ShuffleITCase {

  private static final int COUNT = 203;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  private SinkJob job(String stream, long seed) {
    return SinkJob.to(address(stream))
        .count(COUNT)
        .parallelism(3)
        .sink(SinkJob.samples(3))
        .sink(sink -> sink.shuffle(seed, 20));
  }

  private String address(String stream) {
    return directory.resolve(stream).toUri().toString();
  }

  private StreamContents contents(String stream) {
    return StreamContents.of(address(stream));
  }

  @Test
  void eachWriterMakesTheSameBatchesWhereverCheckpointsFall() throws Exception {
    job("one", 42).perCheckpoint(10).run();
    job("again", 42).perCheckpoint(31).run();

    Map<Integer, List<String>> records = contents("one").recordsByWriter();
    assertThat(records).containsOnlyKeys(0, 1, 2);
    assertThat(contents("again").recordsByWriter()).isEqualTo(records);
    // Neighbours of the input are spread evenly and shuffled in each writer.
    assertThat(records.values())
        .allSatisfy(
            writer -> {
              assertThat(writer).hasSizeBetween(COUNT / 3, COUNT / 3 + 1);
              assertThat(writer.stream().map(Long::valueOf).toList())
                  .isNotEqualTo(writer.stream().map(Long::valueOf).sorted().toList());
            });
  }
}
