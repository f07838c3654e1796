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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.PatientCluster;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReadITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = PatientCluster.of(8);

  private final TestStream stream = TestStream.inMemory(new Mesh(4, 2));

  @AfterEach
  void cancelJobs() {
    SourceJob.cancelAll();
  }

  @Test
  void everyRecordOfABoundedStreamIsReadOnce() throws Exception {
    stream.append(10).append(7);

    List<String> read = SourceJob.of(stream).bounded().run();

    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(0, 17));
  }

  @Test
  void everyRecordIsReadOnceThoughTheJobFailsInTheMiddle() throws Exception {
    stream.recordsPerSlice(50).append(10).append(10);
    Trap trap = Trap.after(300, 2);

    List<String> read = SourceJob.of(stream).bounded().middle(records -> records.map(trap)).run();

    assertThat(trap.left()).isZero();
    assertThat(read).containsExactlyInAnyOrderElementsOf(stream.records(0, 20));
  }

  @Test
  void anUnboundedSourceReadsWhatIsPublishedWhileItRuns() throws Exception {
    stream.append(5);
    SourceJob job = SourceJob.of(stream).start();
    List<String> first = job.take(5 * 24);
    stream.append(6);
    List<String> second = job.take(6 * 24);
    job.cancel();

    assertThat(first).containsExactlyInAnyOrderElementsOf(stream.records(0, 5));
    assertThat(second).containsExactlyInAnyOrderElementsOf(stream.records(5, 11));
  }
}
