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
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every answer of S3 that matters, also those that no server at hand ever gives. */
class S3AnswersTest {

  private static final byte[] OBJECT = random(1_000, 1);

  private ScriptedS3Server server;
  private ObjectStore store;

  @BeforeEach
  void open() throws IOException {
    server = new ScriptedS3Server();
    store = store(Map.of());
  }

  private ObjectStore store(Map<String, String> more) {
    Map<String, String> options = new HashMap<>(server.options());
    options.putAll(more);
    return Stores.openBare(StreamAddress.parse("s3://bucket/stream"), options);
  }

  @AfterEach
  void close() {
    store.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "409, ConditionalRequestConflict, TRY_AGAIN",
    "409, OperationAborted, TRY_AGAIN",
    "409, SomethingNew, TRY_AGAIN",
    "412, PreconditionFailed, EXISTS"
  })
  void aConflictIsNotALostRace(int status, String code, CreateOutcome outcome) {
    server.thenError(status, code);
    assertThat(create()).isEqualTo(outcome);
    assertThat(server.seen()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "500, InternalError, TRANSIENT",
    "502, BadGateway, TRANSIENT",
    "504, GatewayTimeout, TRANSIENT",
    "503, SlowDown, THROTTLED",
    "503, ServiceUnavailable, THROTTLED",
    "429, TooManyRequests, THROTTLED",
    "403, AccessDenied, DENIED",
    "400, ExpiredToken, DENIED",
    "404, NoSuchBucket, NO_SUCH_STORE",
    "400, RequestTimeout, TRANSIENT",
    "400, InvalidArgument, INVALID",
    "501, NotImplemented, UNSAFE",
    "507, XMinioStorageFull, NO_SPACE",
    "301, PermanentRedirect, INVALID"
  })
  void aFailedCreateIsSentOnceAndSaysWhatIsKnown(int status, String code, Fault fault) {
    server.thenError(status, code);
    assertThatThrownBy(this::create)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault))
        .hasMessageContaining("stream/k")
        .hasMessageContaining("'bucket'")
        .hasMessageContaining("create");
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void pendingUploadsAreListedToTheEndWithTheirAge() {
    byte[] first = uploads("a", "1", true);
    byte[] second = uploads("b", "2", false);
    server.thenBody(200, Map.of(), first, first.length);
    server.thenBody(200, Map.of(), second, second.length);
    assertThat(await(store.pendingUploads("data/")))
        .containsExactly(
            new PendingUpload("data/a", "1", 1_700_000_000_000L),
            new PendingUpload("data/b", "2", 1_700_000_000_000L));
    assertThat(server.seen().get(0).uri()).contains("uploads").contains("prefix=stream");
    assertThat(server.seen().get(1).uri()).contains("key-marker=stream");
  }

  @Test
  void aStoreThatCannotListUploadsHasNone() {
    server.thenError(501, "NotImplemented");
    assertThat(await(store.pendingUploads("data/"))).isEmpty();
    server.thenError(403, "AccessDenied");
    assertFault(Fault.DENIED, () -> await(store.pendingUploads("data/")));
  }

  private static byte[] uploads(String key, String id, boolean truncated) {
    return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListMultipartUploadsResult><Bucket>bucket</Bucket>"
            + "<IsTruncated>"
            + truncated
            + "</IsTruncated><NextKeyMarker>stream/data/"
            + key
            + "</NextKeyMarker><NextUploadIdMarker>"
            + id
            + "</NextUploadIdMarker><Upload><Key>stream/data/"
            + key
            + "</Key><UploadId>"
            + id
            + "</UploadId><Initiated>2023-11-14T22:13:20.000Z</Initiated></Upload></ListMultipartUploadsResult>")
        .getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void aCreateCarriesTheConditionAndOneChecksum() {
    server.thenBody(200, Map.of("ETag", "\"1\""), new byte[0], 0);
    assertThat(create()).isEqualTo(CreateOutcome.CREATED);
    ScriptedS3Server.Seen put = server.seen().get(0);
    assertThat(put.method()).isEqualTo("PUT");
    assertThat(put.uri()).isEqualTo("/bucket/stream/k");
    assertThat(put.headers()).containsEntry("if-none-match", "*");
    assertThat(put.headers()).containsKey("x-amz-checksum-crc32c");
    assertThat(put.headers()).doesNotContainKey("x-amz-trailer");
  }

  @Test
  void aDenialNamesThePermission() {
    server.thenError(403, "AccessDenied");
    assertThatThrownBy(() -> await(store.put("k", Payload.of(new byte[1]))))
        .hasMessageContaining("s3:PutObject");
    server.thenError(403, "");
    assertThatThrownBy(() -> await(store.length("k"))).hasMessageContaining("s3:ListBucket");
    server.thenError(403, "AccessDenied");
    assertThatThrownBy(() -> await(store.pendingUploads("data/")))
        .hasMessageContaining("need s3:ListBucketMultipartUploads on it");
    server.thenError(403, "AccessDenied");
    assertThatThrownBy(() -> await(store.abort(new PendingUpload("data/a", "1", 0))))
        .hasMessageContaining("Cannot abort the upload of 'stream/data/a'")
        .hasMessageContaining("need s3:AbortMultipartUpload on it");
  }

  @Test
  void encryptionIsAskedFor() {
    store.close();
    store = store(Map.of("s3.sse.type", "aws:kms", "s3.sse.kms-key-id", "key-1"));
    server.thenBody(200, Map.of(), new byte[0], 0);
    create();
    assertThat(server.seen().get(0).headers())
        .containsEntry("x-amz-server-side-encryption", "aws:kms")
        .containsEntry("x-amz-server-side-encryption-aws-kms-key-id", "key-1");
  }

  @Test
  void theWholeObjectInPlaceOfARangeIsCutToTheRange() {
    byte[] large = random(5 << 20, 2);
    server.thenBody(200, Map.of("ETag", "\"v1\""), large, large.length);
    assertThat(read(1_000_000, 2_000_000))
        .isEqualTo(Arrays.copyOfRange(large, 1_000_000, 3_000_000));
    server.thenBody(200, Map.of("ETag", "\"v1\""), large, large.length);
    Suffix suffix = await(store.readSuffix("k", 100));
    assertThat(suffix.objectLength()).isEqualTo(large.length);
    assertThat(array(suffix.bytes()))
        .isEqualTo(Arrays.copyOfRange(large, large.length - 100, large.length));
    server.thenBody(200, Map.of("ETag", "\"v1\""), OBJECT, OBJECT.length);
    assertFault(Fault.OUT_OF_RANGE, () -> read(500, 501));
  }

  @ParameterizedTest
  @CsvSource({"0, 499", "200, 599", "99, 499", "600, 999"})
  void anotherRangeThanTheOneAskedForIsAnError(int first, int last) {
    server.thenBody(206, part(first, last), bytes(first, last + 1), last + 1 - first);
    assertFault(Fault.SHORT_REPLY, () -> read(100, 400));
  }

  @Test
  void aPartThatDoesNotSayWhichIsAnError() {
    server.thenBody(206, Map.of(), bytes(0, 400), 400);
    assertFault(Fault.SHORT_REPLY, () -> read(100, 400));
  }

  @Test
  void aSuffixThatIsNotTheEndIsAnError() {
    server.thenBody(206, part(800, 899), bytes(800, 900), 100);
    assertFault(Fault.SHORT_REPLY, () -> await(store.readSuffix("k", 100)));
  }

  @Test
  void aStallEndsWithTheRequestsTimeout() {
    store.close();
    store = store(Map.of("s3.request-timeout", "300 ms"));
    CountDownLatch over = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      server.then(
          exchange -> {
            try {
              over.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
    try {
      assertFault(Fault.TRANSIENT, () -> read(0, 10));
      assertFault(Fault.TRANSIENT, this::create);
    } finally {
      over.countDown();
    }
  }

  @Test
  void aServerThatIsNotThereIsTransientAndAHostThatDoesNotExistIsNot() {
    server.close();
    assertFault(Fault.TRANSIENT, this::create);
    store.close();
    store = store(Map.of("s3.endpoint", "http://no-such-host.invalid"));
    assertFault(Fault.NO_SUCH_STORE, this::create);
  }

  private CreateOutcome create() {
    return await(store.createIfAbsent("k", Payload.of(new byte[] {1, 2, 3})));
  }

  private byte[] read(long offset, int length) {
    return array(await(store.read("k", offset, length)));
  }

  private static byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(OBJECT, from, to);
  }

  private static Map<String, String> part(int first, int last) {
    return Map.of(
        "Content-Range", "bytes " + first + "-" + last + "/" + OBJECT.length, "ETag", "\"v1\"");
  }
}
