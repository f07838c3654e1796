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
import dev.lakestream.manifest.BundleDescriptor;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Field fault B24: when a reader without splits is idle, and when it is active again. */
@Timeout(60)
class LakestreamSourceReaderTest {

  private final TestStream stream = TestStream.inMemory(new Mesh(2, 1)).stepsPerBundle(1);
  private final TestingReaderContext context = new TestingReaderContext();
  private final Output output = new Output();
  private SourceReader<String, BundleSplit> reader;

  @BeforeEach
  void open() throws Exception {
    reader =
        LakestreamSource.<String>builder()
            .path(stream.address())
            .deserializer(TextDeserializer.create())
            .build()
            .createReader(context);
    reader.start();
  }

  @AfterEach
  void close() throws Exception {
    reader.close();
  }

  /** Publishes a step and gives its split to the reader. */
  private List<String> addSplit() {
    long step = stream.head().nextStep();
    stream.append(1);
    BundleDescriptor bundle = stream.stream().history(stream.head()).bundles(step, 1).get(0);
    RankSet all = SliceSelection.all().ranksOf(bundle.bundle().mesh());
    reader.addSplits(List.of(BundleSplit.of(bundle, all, 0, 1)));
    return stream.records(step, step + 1);
  }

  private void nothingToRead() {
    reader.handleSourceEvents(new NothingToReadEvent());
  }

  private InputStatus poll() throws Exception {
    return reader.pollNext(output);
  }

  /** As a task polls, until the reader has told the coordinator of so many splits it has read. */
  private void readSplits(int splits) throws Exception {
    while (context.getSentEvents().size() < splits) {
      reader.isAvailable().get();
      poll();
    }
    assertThat(context.getSentEvents()).hasOnlyElementsOfType(SplitsFinishedEvent.class);
  }

  @Test
  void anIdleReaderIsActiveAgainBeforeTheFirstRecordOfALateSplit() throws Exception {
    List<String> expected = new ArrayList<>();
    for (int round = 1; round <= 3; round++) {
      poll();
      nothingToRead();
      expected.add("idle");
      assertThat(output.seen).isEqualTo(expected);

      List<String> records = addSplit();
      expected.add("active");
      assertThat(output.seen).isEqualTo(expected);

      readSplits(round);
      expected.addAll(records);
      assertThat(output.seen).isEqualTo(expected);
    }
  }

  @Test
  void aReaderThatIsToldBeforeItsTaskPollsIsIdleAtTheFirstPoll() throws Exception {
    nothingToRead();
    assertThat(output.seen).isEmpty();
    poll();
    assertThat(output.seen).containsExactly("idle");
  }

  @Test
  void aSplitThatComesBeforeTheFirstPollTakesTheWordBack() throws Exception {
    nothingToRead();
    List<String> records = addSplit();
    readSplits(1);
    poll();
    assertThat(output.seen).isEqualTo(records);
  }

  @Test
  void aReaderThatStillReadsIsIdleBehindItsLastRecord() throws Exception {
    List<String> expected = addSplit();
    while (output.seen.isEmpty()) {
      reader.isAvailable().get();
      poll();
    }
    nothingToRead();
    assertThat(output.seen).hasSize(1);
    readSplits(1);
    assertThat(output.seen.subList(0, expected.size())).isEqualTo(expected);
    assertThat(output.seen.subList(expected.size(), output.seen.size())).containsExactly("idle");
  }

  @Test
  void aReaderThatNeverHadASplitEndsWhenThereIsNoMore() throws Exception {
    poll();
    nothingToRead();
    reader.notifyNoMoreSplits();
    assertThat(poll()).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(context.getNumSplitRequests()).isEqualTo(1);
  }

  @Test
  void everySplitThatComesIsFollowedByARequestForTheNext() throws Exception {
    assertThat(context.getNumSplitRequests()).isEqualTo(1);
    addSplit();
    assertThat(context.getNumSplitRequests()).isEqualTo(2);
    readSplits(1);
    assertThat(context.getNumSplitRequests()).as("one is on its way").isEqualTo(2);
    addSplit();
    assertThat(context.getNumSplitRequests()).isEqualTo(3);
  }

  /** What the task sees, in order. */
  private static final class Output implements ReaderOutput<String> {

    private final List<String> seen = new ArrayList<>();

    @Override
    public void collect(String record) {
      seen.add(record);
    }

    @Override
    public void collect(String record, long timestamp) {
      seen.add(record);
    }

    @Override
    public void emitWatermark(Watermark watermark) {
      seen.add(watermark.toString());
    }

    @Override
    public void markIdle() {
      seen.add("idle");
    }

    @Override
    public void markActive() {
      seen.add("active");
    }

    @Override
    public SourceOutput<String> createOutputForSplit(String splitId) {
      return this;
    }

    @Override
    public void releaseOutputForSplit(String splitId) {}
  }
}
