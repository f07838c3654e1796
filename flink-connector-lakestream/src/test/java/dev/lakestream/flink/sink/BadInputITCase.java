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
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A bad element: an error that says what and how to avoid it, and a stream that is as it was. */
class BadInputITCase {

  private static final long BAD = 30;

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  @TempDir Path directory;

  /** What a mapper makes of the bad element. */
  enum Bad {
    TOO_MANY_SLICES("A batch for a mesh of 2x1 needs 2 slices and has 3.") {
      @Override
      GlobalBatch batch() {
        return GlobalBatch.of(SinkJob.MESH, List.of(slice(1), slice(1), slice(1)));
      }
    },
    TOO_FEW_SLICES("A batch for a mesh of 2x1 needs 2 slices and has 1.") {
      @Override
      GlobalBatch batch() {
        return GlobalBatch.of(SinkJob.MESH, List.of(slice(1)));
      }
    },
    A_NULL_SLICE(
        "Slice (1, 0) of a batch for a mesh of 2x1 is null. A rank without data needs an empty"
            + " slice.") {
      @Override
      GlobalBatch batch() {
        return GlobalBatch.of(SinkJob.MESH, Arrays.asList(slice(1), null));
      }
    },
    NO_BATCH("The batch mapper returned null. Filter such elements out before the sink.") {
      @Override
      GlobalBatch batch() {
        return null;
      }
    },
    ZERO_SAMPLES(
        "An element is a batch of zero samples: its 2 slices state 0 records. Filter empty batches"
            + " out before the sink") {
      @Override
      GlobalBatch batch() {
        return GlobalBatch.of(SinkJob.MESH, List.of(slice(0), slice(0)));
      }
    };

    private final String words;

    Bad(String words) {
      this.words = words;
    }

    abstract GlobalBatch batch();

    private static Slice slice(int records) {
      return Slice.of(new byte[records], records);
    }
  }

  /** Nothing is published before the bad element comes, unless writers publish by themselves. */
  private SinkJob job() {
    return SinkJob.to(address())
        .count(100)
        .parallelism(1)
        .restarts(0)
        .checkpointInterval(Duration.ofMinutes(10))
        .sink(SinkJob::batches);
  }

  private String address() {
    return directory.resolve("stream").toUri().toString();
  }

  private void fails(SinkJob job, String words) throws Exception {
    SinkJob.to(address()).count(20).sink(SinkJob::batches).run();
    StreamContents before = StreamContents.of(address());

    assertThat(Cluster.failure(job.start())).contains("InvalidBatchException: " + words);

    StreamContents after = StreamContents.of(address());
    assertThat(after.bundles()).isEqualTo(before.bundles());
    assertThat(after.texts()).isEqualTo(before.texts()).hasSize(20);
    assertThat(after.newest().nextStep()).isEqualTo(20);
  }

  @ParameterizedTest
  @EnumSource
  void publishesNothingOfItsCheckpoint(Bad bad) throws Exception {
    fails(
        job()
            .sink(
                sink ->
                    sink.batches(number -> number == BAD ? bad.batch() : SinkJob.batch(number))),
        bad.words);
  }

  @Test
  void aNullElementPublishesNothingOfItsCheckpoint() throws Exception {
    fails(
        job()
            .chained()
            .middle(numbers -> numbers.map(n -> n == BAD ? null : n).returns(Types.LONG)),
        "An element is null. Filter null elements out before the sink.");
  }

  /** What came before it may be in the stream, and nothing that came after. */
  @ParameterizedTest
  @EnumSource
  void neverReachesTheStreamOfAWriterThatPublishesByItself(Bad bad) throws Exception {
    String failure =
        Cluster.failure(
            job()
                .sink(sink -> sink.deliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE))
                .sink(
                    sink ->
                        sink.batches(number -> number == BAD ? bad.batch() : SinkJob.batch(number)))
                .start());

    assertThat(failure).contains("InvalidBatchException: " + bad.words);
    List<String> texts = StreamContents.of(address()).texts();
    assertThat(texts).isEqualTo(SinkJob.numbers(texts.size())).hasSizeLessThanOrEqualTo((int) BAD);
  }
}
