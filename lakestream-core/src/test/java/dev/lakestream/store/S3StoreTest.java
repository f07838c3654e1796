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

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** On a real server; what that server never answers is in {@code S3AnswersTest}. */
class S3StoreTest extends ObjectStoreContract {

  private static final AtomicInteger STREAMS = new AtomicInteger();

  @TempDir private static Path directory;
  private static S3ProxyServer server;

  private ObjectStore store;

  @BeforeAll
  static void start() throws Exception {
    server = new S3ProxyServer(directory);
    server.createBucket("bucket");
    server.createBucket("whole-bucket");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @BeforeEach
  void open() {
    store = Stores.open("s3://bucket/stream-" + STREAMS.incrementAndGet(), server.options());
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Override
  ObjectStore store() {
    return store;
  }

  @Override
  ObjectStore storeAt(String name) {
    return Stores.open("s3a://bucket//" + name + "/", server.options());
  }

  @Test
  void aWholeBucketIsAStreamToo() {
    try (ObjectStore whole = Stores.open("s3://whole-bucket", server.options())) {
      await(whole.put("a/x", Payload.of(new byte[] {1})));
      assertThat(await(whole.list("", "", 10)).objects())
          .extracting(Listing.Entry::key)
          .containsExactly("a/x");
      assertThat(await(whole.list("a/", "a/x", 10)).objects()).isEmpty();
      assertThat(array(await(whole.read("a/x", 0, 1)))).containsExactly(1);
    }
  }

  @Test
  void aLargeObjectGoesUpInPartsAndEverySizeAroundThemIsExact() {
    int part = 5 << 20;
    Map<String, String> options =
        server.options(
            Map.of("s3.multipart.threshold", "5 MiB", "s3.multipart.part-size", "5 MiB"));
    try (ObjectStore parts = Stores.open("s3://bucket/parts", options)) {
      for (int length : new int[] {part, part + 1, 2 * part, 4 * part + 12_345}) {
        byte[] bytes = random(length, length);
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int from = 0; from < length; from += 999_983) {
          buffers.add(ByteBuffer.wrap(bytes, from, Math.min(999_983, length - from)));
        }
        await(parts.put("big", Payload.of(buffers)));
        assertThat(await(parts.length("big"))).isEqualTo(length);
        assertThat(array(await(parts.read("big", 0, length)))).isEqualTo(bytes);
      }
    }
  }

  @Test
  void anUploadThatNeverEndedIsFoundAndAborted() {
    try (ObjectStore here = Stores.open("s3://bucket/uploads", server.options());
        S3AsyncClient client = S3Settings.read(new StoreOptions(server.options())).client()) {
      for (String key : List.of("uploads/data/a", "uploads/data/b", "uploads/other/c")) {
        client.createMultipartUpload(request -> request.bucket("bucket").key(key)).join();
      }
      List<PendingUpload> found = await(here.pendingUploads("data/"));
      assertThat(found)
          .extracting(PendingUpload::key)
          .containsExactlyInAnyOrder("data/a", "data/b");
      found.forEach(upload -> await(here.abort(upload)));
      assertThat(await(here.pendingUploads("data/"))).isEmpty();
      found.forEach(upload -> await(here.abort(upload))); // has ended: no error
      assertThat(await(here.pendingUploads("other/"))).hasSize(1);
    }
  }

  @Test
  void checksumsCanBeLeftAway() {
    Map<String, String> options =
        server.options(
            Map.of(
                "s3.checksums", "when-required",
                "s3.multipart.threshold", "5 MiB",
                "s3.multipart.part-size", "5 MiB"));
    try (ObjectStore plain = Stores.open("s3://bucket/plain", options)) {
      await(plain.createIfAbsent("small", Payload.of(new byte[] {1})));
      byte[] bytes = random(6 << 20, 1);
      await(plain.put("big", Payload.of(bytes)));
      assertThat(array(await(plain.read("big", 0, bytes.length)))).isEqualTo(bytes);
    }
  }

  @Test
  void aMissingBucketIsNamed() {
    try (ObjectStore lost = Stores.open("s3://no-such-bucket/x", server.options())) {
      assertThatThrownBy(() -> await(lost.list("", "", 1)))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NO_SUCH_STORE))
          .hasMessageContaining("no-such-bucket");
      assertFault(
          Fault.NO_SUCH_STORE, () -> await(lost.createIfAbsent("x", Payload.of(new byte[] {1}))));
    }
  }

  @Test
  void aWrongSecretIsDeniedAndNotRepeated() {
    Map<String, String> options = server.options(Map.of("s3.secret-key", "geheim"));
    try (ObjectStore denied = Stores.open("s3://bucket/x", options)) {
      assertThatThrownBy(() -> await(denied.put("k", Payload.of(new byte[] {1}))))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.DENIED))
          .hasMessageContaining("x/k")
          .hasMessageContaining("bucket")
          .hasMessageNotContaining("geheim");
    }
  }

  @Test
  void flinksAndHadoopsNamesForTheSameOptionsAreUnderstood() {
    Map<String, String> ours = server.options();
    Map<String, String> hadoops =
        Map.of(
            "s3.endpoint", ours.get("s3.endpoint"),
            "s3.path.style.access", "true",
            "fs.s3a.access.key", ours.get("s3.access-key"),
            "s3a.secret.key", ours.get("s3.secret-key"));
    try (ObjectStore store = Stores.open("s3://bucket/hadoop", hadoops)) {
      await(store.put("x", Payload.of(new byte[] {1})));
    }
  }
}
