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
package dev.lakestream.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.consumer.UnreadableStepException;
import dev.lakestream.consumer.WrittenStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Field fault B37: whatever a server does to a range, a rank gets the right bytes or an error. */
class B37ReaderTest {

  private static final int LENGTH = 2000;

  private final MemoryStore memory = new MemoryStore();
  private ScriptedS3Server server;
  private ObjectStore s3;
  private RankReader reader;
  private byte[] object;
  private String key;
  private int first;
  private int last;

  /** The bundle's ranges come from the scripted server, all else from memory. */
  private final class RangesByS3 extends ForwardingStore {
    RangesByS3() {
      super(memory);
    }

    @Override
    public CompletableFuture<ByteBuffer> read(String name, long offset, int length) {
      return name.startsWith("data/")
          ? s3.read(name, offset, length)
          : memory.read(name, offset, length);
    }
  }

  @BeforeEach
  void open() throws Exception {
    WrittenStream written = WrittenStream.even(memory, new Mesh(2, 1), LENGTH).commit(1);
    key = written.head().tail().get(0).bundle().object();
    object = memory.bytes(key);
    int section = 16 + 40 + LENGTH;
    first = 8 + section;
    last = first + section - 1;
    server = new ScriptedS3Server();
    open("5 s", Duration.ofSeconds(30));
  }

  private void open(String requestTimeout, Duration budget) {
    Map<String, String> options = new HashMap<>(server.options());
    options.put("s3.request-timeout", requestTimeout);
    s3 = Stores.openBare(StreamAddress.parse("s3://bucket/stream"), options);
    ObjectStore retrying =
        RetryingStore.around(new RangesByS3())
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .maxElapsed(budget)
            .build();
    reader = RankReader.open(retrying, RankPosition.of(2, 1, 1, 0));
  }

  @AfterEach
  void close() {
    closeReader();
    server.close();
  }

  private void closeReader() {
    reader.close();
    s3.close();
  }

  private Map<String, String> part(int from, int to, String tag) {
    return Map.of("Content-Range", "bytes " + from + "-" + to + "/" + object.length, "ETag", tag);
  }

  private byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(object, from, to + 1);
  }

  private void thenRight() {
    server.thenBody(206, part(first, last, "\"1\""), bytes(first, last), last - first + 1);
  }

  private void assertRight() {
    RankStep step = reader.next();
    assertThat(step.slice().bytes())
        .isEqualTo(ByteBuffer.wrap(WrittenStream.bytes(0, 1, 0, LENGTH)));
  }

  @Test
  void aBodyThatIsCutOnceIsResumed() {
    server.thenBody(206, part(first, last, "\"1\""), bytes(first, last), LENGTH / 2);
    int rest = first + LENGTH / 2;
    server.thenBody(206, part(rest, last, "\"1\""), bytes(rest, last), last - rest + 1);
    assertRight();
  }

  @Test
  void aBodyThatIsAlwaysCutIsAnErrorWithKeyAndRange() {
    closeReader();
    open("5 s", Duration.ofMillis(300));
    // Beyond the script the server answers 500, as a store in trouble does.
    server.thenBody(206, part(first, last, "\"1\""), bytes(first, last), 1);
    assertThatThrownBy(reader::next)
        .isInstanceOf(UnreadableStepException.class)
        .hasMessageContaining(key);
    assertThat(reader.cursor().step()).isZero();
  }

  @Test
  void theWholeObjectInPlaceOfTheRangeIsCutToIt() {
    server.thenBody(200, Map.of("ETag", "\"1\""), object, object.length);
    assertRight();
  }

  @Test
  void anotherRangeIsAskedForAgain() {
    server.thenBody(
        206, part(8, last - first + 8, "\"1\""), bytes(8, last - first + 8), last - first + 1);
    thenRight();
    assertRight();
  }

  @Test
  void aStallEndsWithTheTimeoutAndIsAskedForAgain() {
    closeReader();
    open("1 s", Duration.ofSeconds(30));
    CountDownLatch over = new CountDownLatch(1);
    server.then(
        exchange -> {
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    thenRight();
    try {
      assertRight();
    } finally {
      over.countDown();
    }
  }

  @Test
  void anObjectThatChangesBetweenTwoHalvesIsNeverMixed() {
    server.thenBody(206, part(first, last, "\"1\""), bytes(first, last), LENGTH / 2);
    server.thenError(412, "PreconditionFailed");
    thenRight();
    assertRight();
  }
}
