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
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.Fault;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.Op;
import dev.lakestream.store.Stores;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad surroundings and bad elements: a clear error, and nothing published by halves. */
class SurroundingsITCase {

  @RegisterExtension static final MiniClusterExtension CLUSTER = Cluster.create();

  private String name;
  private String address;
  private FaultyStore store;

  @BeforeEach
  void newStore() {
    name = "surroundings-" + System.nanoTime();
    address = "mem://" + name + "/stream";
    store = MemoryStores.makeFaulty(name);
  }

  @AfterEach
  void removeStore() {
    MemoryStores.remove(name);
  }

  private SinkJob job() {
    return SinkJob.to(address).count(20).restarts(0).sink(SinkJob::batches);
  }

  private void assertNothingPublished() {
    store.heal();
    assertThat(StreamContents.stepsOf(address)).isZero();
  }

  @Test
  void noPermissionToWrite() throws Exception {
    store.on(Op.CREATE).answer(Answer.denied());

    assertThat(Cluster.failure(job().start())).contains("StoreException", "DENIED");
    assertNothingPublished();
  }

  @Test
  void noPermissionToUpload() throws Exception {
    store.on(Op.PUT, key -> key.contains("/data/")).answer(Answer.denied());

    assertThat(Cluster.failure(job().start())).contains("StoreException", "DENIED", "data/");
    assertNothingPublished();
  }

  @Test
  void noSuchBucket() throws Exception {
    for (Op op : Op.values()) {
      store.on(op).answer(Answer.fail(Fault.NO_SUCH_STORE));
    }

    assertThat(Cluster.failure(job().start())).contains("StoreException", "NO_SUCH_STORE");
    assertNothingPublished();
  }

  @ParameterizedTest
  @CsvSource({
    "403, AccessDenied, The credentials need s3:GetObject",
    "403, SignatureDoesNotMatch, check s3.secret-key",
    "400, ExpiredToken, renew them",
    "404, NoSuchBucket, Create the bucket"
  })
  void whatS3RefusesIsNamedWithItsRemedy(int status, String code, String remedy) throws Exception {
    try (RefusingS3Server server = new RefusingS3Server(status, code)) {
      SinkJob job =
          SinkJob.to("s3://pile/stream")
              .restarts(0)
              .sink(SinkJob::batches)
              .sink(sink -> sink.storeOptions(server.options()));

      assertThat(Cluster.failure(job.start()))
          .contains("Cannot read 'stream/stream' in bucket 'pile'", code, remedy);
    }
  }

  @Test
  void aStoreThatIgnoresTheCondition() throws Exception {
    store.on(Op.CREATE).answer(Answer.ignoreCondition());

    assertThat(Cluster.failure(job().start())).contains("created one key twice", "If-None-Match");
    assertNothingPublished();
  }

  @Test
  void aStoreThatLetsSeveralRacersWin() throws Exception {
    store.on(Op.CREATE, key -> key.contains("/probe/")).answer(Answer.severalWinners());

    assertThat(Cluster.failure(job().start()))
        .contains("StoreException", "writers created one key at once");
    assertNothingPublished();
  }

  @Test
  void noRoomLeft() throws Exception {
    store.on(Op.PUT).answer(Answer.fail(Fault.NO_SPACE));

    assertThat(Cluster.failure(job().start())).contains("StoreException", "NO_SPACE");
    assertNothingPublished();
  }

  @Test
  void aBundleOfARestoredCheckpointThatIsGone() throws Exception {
    Attempts attempts = new Attempts();
    AtomicBoolean denied = new AtomicBoolean();
    // The commit fails once, and its bundles are gone when it comes again.
    store
        .on(Op.CREATE, key -> key.contains("/manifest/") && key.endsWith("03.manifest"))
        .answer(
            request -> {
              denied.set(true);
              return Answer.denied().to(request);
            });
    store
        .on(Op.READ_SUFFIX, key -> denied.get() && key.contains("/data/"))
        .answer(Answer.fail(Fault.MISSING));

    String failure =
        Cluster.failure(
            job()
                .count(100)
                .perCheckpoint(10)
                .middle(numbers -> numbers.map(attempts))
                .restarts(1000)
                .start());

    assertThat(failure).contains("MissingBundleException", "data/");
    assertThat(attempts.started()).isEqualTo(2);
  }

  @Test
  void aStreamThatIsAbsentAndNotToBeCreated() throws Exception {
    assertThat(Cluster.failure(job().sink(sink -> sink.createStream(false)).start()))
        .contains("StreamNotFoundException", address);
  }

  @Test
  void aStreamOfAnotherMesh() throws Exception {
    TrainingStream.openOrCreate(
        Stores.open(address, Map.of()), StreamInfo.create(new Mesh(8, 2), "raw"));

    assertThat(Cluster.failure(job().start())).contains("mesh", "2x1", "8x2", address);
  }

  @Test
  void aStreamOfAnotherSliceFormat() throws Exception {
    TrainingStream.openOrCreate(
        Stores.open(address, Map.of()), StreamInfo.create(SinkJob.MESH, "tokens"));

    assertThat(Cluster.failure(job().sink(SinkJob.samples(2)).sink(s -> s.batches(null)).start()))
        .contains("slice format", "records", "tokens");
  }

  @Test
  void anElementForAnotherMesh() throws Exception {
    SinkJob job =
        job()
            .sink(
                sink ->
                    sink.batches(
                        number ->
                            GlobalBatch.of(new Mesh(1, 1), List.of(Slice.of(new byte[0], 0)))));

    assertThat(Cluster.failure(job.start()))
        .contains("InvalidBatchException", "a mesh of 1x1", "2x1");
    assertNothingPublished();
  }
}
