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

import static dev.lakestream.store.ObjectStoreContract.array;
import static dev.lakestream.store.ObjectStoreContract.assertFault;
import static dev.lakestream.store.ObjectStoreContract.await;
import static dev.lakestream.store.ObjectStoreContract.random;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.lakestream.simulation.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Transfers that break off are gone on with by the one layer that retries: each failed request is
 * an attempt of its own, with its wait, and counted as such. What has been transferred is kept.
 */
class S3TransferTest {

  private static final byte[] OBJECT = random(1_000, 1);
  private static final int PART = 5 << 20;

  private final VirtualTime time = new VirtualTime();
  private final StoreMetrics metrics = new StoreMetrics();
  private ScriptedS3Server server;
  private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    server = new ScriptedS3Server();
    Map<String, String> options = new HashMap<>(server.options());
    options.put("s3.multipart.threshold", "5 MiB");
    options.put("s3.multipart.part-size", "5 MiB");
    store =
        RetryingStore.around(Stores.openBare(StreamAddress.parse("s3://bucket/stream"), options))
            .maxElapsed(Duration.ofSeconds(20))
            .time(time)
            .scheduler(this::afterVirtualTime)
            .jitter(new SplittableRandom(1))
            .metrics(metrics)
            .build();
  }

  /** Not on the thread that completes a reply: that is the SDK's. */
  private ScheduledFuture<?> afterVirtualTime(Callable<?> task, long delay, TimeUnit unit) {
    time.sleep(Duration.ofNanos(unit.toNanos(delay)));
    return RetryScheduler.SHARED.schedule(task, Math.min(1, delay), TimeUnit.NANOSECONDS);
  }

  @AfterEach
  void close() {
    store.close();
    server.close();
  }

  @Test
  void aBodyThatBreaksOffIsGoneOnWithOnTheSameVersion() {
    server.thenBody(206, part(100, 899), bytes(100, 900), 400);
    server.thenBody(206, part(500, 899), bytes(500, 900), 400);
    assertThat(read(100, 800)).isEqualTo(bytes(100, 900));
    assertThat(server.seen()).hasSize(2);
    assertThat(server.seen().get(1).headers())
        .containsEntry("range", "bytes=500-899")
        .containsEntry("if-match", "\"v1\"");
    assertThat(metrics.attempts()).isEqualTo(2);
    assertThat(metrics.retries()).isEqualTo(1);
    assertThat(metrics.transientFaults()).isEqualTo(1);
  }

  @Test
  void anObserverSeesABodyThatBreaksOffOnceAndNothingOfAVersionThatWasGivenUp() {
    byte[] other = random(1_000, 2);
    server.thenBody(206, part(0, 999), OBJECT, 300);
    server.thenBody(206, part(300, 999), bytes(300, 1_000), 200);
    server.thenError(412, "PreconditionFailed");
    server.thenBody(206, part(0, 999, "\"v2\""), other, 700);
    server.thenBody(206, part(700, 999, "\"v2\""), Arrays.copyOfRange(other, 700, 1_000), 300);
    ReadObserver.Observed<Collected> read =
        await(store.readObserved("k", 0, 1_000, Collected::new));
    assertThat(array(read.bytes())).isEqualTo(other);
    assertThat(read.observer().bytes()).isEqualTo(other);
  }

  @Test
  void whatWasReadIsKeptWhileTheServerIsInTrouble() {
    server.thenBody(206, part(100, 899), bytes(100, 900), 400);
    server.thenError(503, "SlowDown");
    server.thenError(500, "InternalError");
    server.thenBody(206, part(500, 899), bytes(500, 900), 400);
    assertThat(read(100, 800)).isEqualTo(bytes(100, 900));
    assertThat(metrics.attempts()).isEqualTo(server.seen().size()).isEqualTo(4);
    assertThat(metrics.throttles()).isEqualTo(1);
  }

  /** As long as each reply brings something, the waits do not grow, and the read ends. */
  @Test
  void aBodyThatBreaksOffAfterEachByteIsReadToItsEnd() {
    for (int i = 100; i < 200; i++) {
      server.thenBody(206, part(i, 199), bytes(i, 200), 1);
    }
    assertThat(read(100, 100)).isEqualTo(bytes(100, 200));
    assertThat(metrics.attempts()).isEqualTo(server.seen().size()).isEqualTo(100);
    assertThat(time.slept().toMillis()).isLessThan(100 * 100);
  }

  @Test
  void aReadThatGetsNowhereMakesOneRequestAnAttemptAndNamesKeyAndRange() {
    server.thenBody(206, part(100, 899), bytes(100, 900), 1); // beyond the script it answers 500
    assertThatThrownBy(() -> read(100, 800))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.TRANSIENT))
        .hasMessageContaining("retry.max-elapsed")
        .hasMessageContaining("stream/k")
        .hasMessageContaining("100 to 899");
    assertThat(metrics.attempts()).isEqualTo(server.seen().size());
    assertThat(metrics.exhausted()).isEqualTo(1);
  }

  @Test
  void anObjectThatIsReplacedBetweenTheHalvesIsReadAnewAndNeverMixed() {
    server.thenBody(206, part(0, 999), OBJECT, 500);
    server.thenError(412, "PreconditionFailed");
    byte[] other = random(1_000, 2);
    server.thenBody(206, part(0, 999, "\"v2\""), other, 1_000);
    assertThat(read(0, 1_000)).isEqualTo(other);
  }

  @Test
  void aServerThatIgnoresIfMatchIsCaughtByItsETag() {
    byte[] other = random(1_000, 2);
    server.thenBody(206, part(0, 999), OBJECT, 500);
    server.thenBody(206, part(500, 999, "\"v2\""), Arrays.copyOfRange(other, 500, 1_000), 500);
    server.thenBody(206, part(0, 999, "\"v2\""), other, 1_000);
    assertThat(read(0, 1_000)).isEqualTo(other);
    assertThat(server.seen().get(2).headers()).containsEntry("range", "bytes=0-999");
  }

  @Test
  void aSuffixThatBreaksOffIsGoneOnWithAsARange() {
    server.thenBody(206, part(900, 999), bytes(900, 1_000), 30);
    server.thenBody(206, part(930, 999), bytes(930, 1_000), 70);
    Suffix suffix = await(store.readSuffix("k", 100));
    assertThat(array(suffix.bytes())).isEqualTo(bytes(900, 1_000));
    assertThat(suffix.objectLength()).isEqualTo(1_000);
    assertThat(server.seen().get(0).headers()).containsEntry("range", "bytes=-100");
    assertThat(server.seen().get(1).headers()).containsEntry("range", "bytes=930-999");
  }

  @Test
  void onlyThePartThatFailedIsSentAgain() {
    server.then(S3TransferTest::begin);
    server.thenError(500, "InternalError");
    server.then(S3TransferTest::acceptPart);
    server.then(S3TransferTest::acceptPart);
    server.then(S3TransferTest::complete);
    await(store.put("k", Payload.of(new byte[PART + 1])));
    assertThat(methods()).containsExactly("POST", "PUT", "PUT", "PUT", "POST");
    assertThat(metrics.retries()).isEqualTo(1);
  }

  /** Each part fails once: twice the parts, and nothing else is sent twice. */
  @Test
  void aStoreThatFailsEachPartOnceSeesEachPartTwice() {
    int parts = 6;
    Map<String, Integer> failed = new HashMap<>();
    server.then(S3TransferTest::begin);
    for (int i = 0; i < 2 * parts; i++) {
      server.then(
          exchange -> {
            boolean first;
            synchronized (failed) {
              first = failed.merge(exchange.getRequestURI().getQuery(), 1, Integer::sum) == 1;
            }
            if (first) {
              exchange.sendResponseHeaders(500, -1);
            } else {
              acceptPart(exchange);
            }
          });
    }
    server.then(S3TransferTest::complete);
    await(store.put("k", Payload.of(new byte[parts * PART])));
    assertThat(server.seen()).hasSize(2 + 2 * parts);
    assertThat(metrics.attempts()).isLessThanOrEqualTo(1 + parts);
  }

  /** At most as many requests an attempt as there are lanes, and the parts go in the end. */
  @Test
  void aStoreThatFailsEveryPartSeesFourRequestsAnAttempt() {
    server.then(S3TransferTest::begin);
    assertFault(Fault.TRANSIENT, () -> await(store.put("k", Payload.of(new byte[5 * PART]))));
    List<String> methods = methods();
    assertThat(methods.get(0)).isEqualTo("POST");
    assertThat(methods.get(methods.size() - 1)).isEqualTo("DELETE");
    assertThat((long) methods.size()).isBetween(metrics.attempts(), 4 * metrics.attempts() + 2);
    assertThat(metrics.attempts()).isBetween(5L, 60L);
    assertThat(metrics.exhausted()).isEqualTo(1);
  }

  @Test
  void anUploadThatIsDeniedIsRemovedAtOnce() {
    server.then(S3TransferTest::begin);
    server.thenError(403, "AccessDenied");
    server.thenError(403, "AccessDenied");
    server.thenBody(204, Map.of(), new byte[0], 0);
    assertFault(Fault.DENIED, () -> await(store.put("k", Payload.of(new byte[PART + 1]))));
    assertThat(server.seen().get(server.seen().size() - 1))
        .satisfies(
            last -> {
              assertThat(last.method()).isEqualTo("DELETE");
              assertThat(last.uri()).contains("uploadId=u1");
            });
    assertThat(metrics.attempts()).isEqualTo(1);
  }

  private List<String> methods() {
    return server.seen().stream().map(ScriptedS3Server.Seen::method).toList();
  }

  private static void begin(HttpExchange exchange) throws IOException {
    xml(
        exchange,
        "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>");
  }

  private static void complete(HttpExchange exchange) throws IOException {
    xml(exchange, "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>");
  }

  private static void acceptPart(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("ETag", "\"p\"");
    exchange.sendResponseHeaders(200, -1);
  }

  private static void xml(HttpExchange exchange, String text) throws IOException {
    byte[] body = ("<?xml version=\"1.0\"?>" + text).getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/xml");
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
  }

  private byte[] read(long offset, int length) {
    return array(await(store.read("k", offset, length)));
  }

  private static byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(OBJECT, from, to);
  }

  private static Map<String, String> part(int first, int last) {
    return part(first, last, "\"v1\"");
  }

  private static Map<String, String> part(int first, int last, String tag) {
    return Map.of(
        "Content-Range", "bytes " + first + "-" + last + "/" + OBJECT.length, "ETag", tag);
  }
}
