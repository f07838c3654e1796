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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every store must do, whatever lies below it. */
abstract class ObjectStoreContract {

  /** An empty store; each call of one test gives the same contents. */
  abstract ObjectStore store();

  /** A store whose address is spelled with these characters. */
  abstract ObjectStore storeAt(String name);

  /** The keys of field fault B47: what other clients encode twice, or not at all. */
  static Stream<String> strangeKeys() {
    return Stream.of(
        "a b",
        "a+b",
        "a%b",
        "a%20b",
        "a#b",
        "a?b=c&d",
        "a=b",
        "a:b",
        "a~b",
        "a'b\"c",
        "(a)!*;,@$[]{}|^`<>",
        "数据/批次",
        "emoji-\uD83D\uDE80",
        "é",
        " leading and trailing ",
        ".hidden",
        "dir with space/数据+%2F/x");
  }

  @Test
  void aCreatedObjectIsReadBackWholeAndInParts() {
    byte[] bytes = random(100_000, 1);
    assertThat(create("data/x", bytes)).isEqualTo(CreateOutcome.CREATED);
    assertThat(read("data/x", 0, 100_000)).isEqualTo(bytes);
    assertThat(read("data/x", 7, 1)).containsExactly(bytes[7]);
    assertThat(read("data/x", 99_999, 1)).containsExactly(bytes[99_999]);
    assertThat(await(store().length("data/x"))).isEqualTo(100_000);
  }

  @Test
  void anObserverSeesTheBytesThatAreReadInTheirOrder() {
    byte[] bytes = random(1_000_000, 1);
    put("data/x", bytes);
    for (int[] range : new int[][] {{0, 1_000_000}, {7, 400_001}, {999_999, 1}, {5, 0}}) {
      byte[] wanted = Arrays.copyOfRange(bytes, range[0], range[0] + range[1]);
      ReadObserver.Observed<Collected> read =
          await(store().readObserved("data/x", range[0], range[1], Collected::new));
      assertThat(read.bytes()).isEqualTo(ByteBuffer.wrap(wanted));
      assertThat(read.observer().bytes()).isEqualTo(wanted);
    }
    assertFault(
        Fault.OUT_OF_RANGE,
        () -> await(store().readObserved("data/x", 999_999, 2, Collected::new)));
    assertFault(Fault.MISSING, () -> await(store().readObserved("no", 0, 1, Collected::new)));
  }

  @Test
  void aTakenKeyIsNotCreatedAgainAndKeepsItsContent() {
    create("k", "first".getBytes(UTF_8));
    assertThat(create("k", "second".getBytes(UTF_8))).isEqualTo(CreateOutcome.EXISTS);
    assertThat(read("k", 0, 5)).isEqualTo("first".getBytes(UTF_8));
  }

  @Test
  void aKeyIsFreeAgainAfterADeletion() {
    create("a/b/k", new byte[] {1});
    await(store().delete("a/b/k"));
    await(store().delete("a/b/k"));
    assertThat(keys("", "", 10)).isEmpty();
    assertThat(create("a/b/k", new byte[] {2})).isEqualTo(CreateOutcome.CREATED);
    assertThat(read("a/b/k", 0, 1)).containsExactly(2);
  }

  @Test
  void ofRacingCreatesExactlyOneWinsAndItsContentStays() throws Exception {
    int racers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(racers);
    try {
      for (int round = 0; round < 25; round++) {
        String key = "race/" + round;
        CyclicBarrier start = new CyclicBarrier(racers);
        List<CompletableFuture<CreateOutcome>> outcomes = new ArrayList<>();
        for (int racer = 0; racer < racers; racer++) {
          byte[] content = random(2_000, racer);
          outcomes.add(
              CompletableFuture.supplyAsync(
                  () -> {
                    pass(start);
                    return create(key, content);
                  },
                  threads));
        }
        List<CreateOutcome> all = outcomes.stream().map(ObjectStoreContract::await).toList();
        assertThat(all).as("round %d", round).containsOnlyOnce(CreateOutcome.CREATED);
        assertThat(read(key, 0, 2_000))
            .isEqualTo(random(2_000, all.indexOf(CreateOutcome.CREATED)));
      }
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aPutReplacesWhatIsThere() {
    put("k", new byte[] {1, 2, 3});
    put("k", new byte[] {4});
    assertThat(await(store().length("k"))).isEqualTo(1);
    assertThat(read("k", 0, 1)).containsExactly(4);
  }

  @Test
  void manyBuffersOfAllKindsAreWrittenInOrderAndLeftAsTheyWere() {
    Random random = new Random(3);
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = random(random.nextInt(2_000), i);
      ByteBuffer buffer =
          i % 3 == 0
              ? ByteBuffer.allocateDirect(bytes.length + 5)
              : ByteBuffer.allocate(bytes.length + 5);
      buffers.add(buffer.position(5).put(bytes).flip().position(5));
    }
    Payload payload = Payload.of(buffers);
    await(store().put("put", payload));
    await(store().createIfAbsent("created", payload));
    ByteBuffer expected = ByteBuffer.allocate((int) payload.length());
    payload.buffers().forEach(expected::put);
    assertThat(read("put", 0, expected.capacity())).isEqualTo(expected.array());
    assertThat(read("created", 0, expected.capacity())).isEqualTo(expected.array());
    assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.position()).isEqualTo(5));
  }

  @Test
  void anEmptyObjectIsAnObject() {
    assertThat(create("empty", new byte[0])).isEqualTo(CreateOutcome.CREATED);
    put("empty-put", new byte[0]);
    assertThat(create("empty", new byte[] {1})).isEqualTo(CreateOutcome.EXISTS);
    assertThat(await(store().length("empty"))).isZero();
    assertThat(keys("empty", "", 10)).containsExactly("empty", "empty-put");
    assertThat(read("empty", 0, 0)).isEmpty();
    Suffix suffix = await(store().readSuffix("empty", 100));
    assertThat(suffix.objectLength()).isZero();
    assertThat(suffix.bytes().remaining()).isZero();
    assertFault(Fault.OUT_OF_RANGE, () -> read("empty", 0, 1));
  }

  @Test
  void aRangeBeyondTheEndIsAnErrorAndNeverShort() {
    put("k", random(10, 1));
    assertFault(Fault.OUT_OF_RANGE, () -> read("k", 5, 6));
    assertFault(Fault.OUT_OF_RANGE, () -> read("k", 10, 1));
    assertFault(Fault.OUT_OF_RANGE, () -> read("k", 1_000_000, 1));
    assertThat(read("k", 10, 0)).isEmpty();
  }

  @Test
  void aSuffixIsTheEndOrTheWholeObject() {
    byte[] bytes = random(1_000, 1);
    put("k", bytes);
    Suffix end = await(store().readSuffix("k", 10));
    assertThat(end.objectLength()).isEqualTo(1_000);
    assertThat(end.offset()).isEqualTo(990);
    assertThat(array(end.bytes())).isEqualTo(Arrays.copyOfRange(bytes, 990, 1_000));
    for (int length : new int[] {1_000, 1_001, 1_000_000}) {
      Suffix whole = await(store().readSuffix("k", length));
      assertThat(whole.objectLength()).isEqualTo(1_000);
      assertThat(array(whole.bytes())).isEqualTo(bytes);
    }
    Suffix none = await(store().readSuffix("k", 0));
    assertThat(none.objectLength()).isEqualTo(1_000);
    assertThat(none.bytes().remaining()).isZero();
  }

  @Test
  void whatIsNotThereIsMissingInEveryCall() {
    put("dir/other", new byte[] {1});
    for (String key : List.of("nothing", "dir", "no/such/path", "dir/other2")) {
      assertFault(Fault.MISSING, () -> read(key, 0, 1));
      assertFault(Fault.MISSING, () -> await(store().readSuffix(key, 1)));
      assertFault(Fault.MISSING, () -> await(store().length(key)));
      assertThatCode(() -> await(store().delete(key))).doesNotThrowAnyException();
    }
    assertThat(keys("", "", 10)).containsExactly("dir/other");
  }

  @ParameterizedTest
  @MethodSource("strangeKeys")
  void aStrangeKeyIsTheSameKeyInEveryCall(String key) {
    assertThat(create(key, key.getBytes(UTF_8))).isEqualTo(CreateOutcome.CREATED);
    assertThat(create(key, new byte[] {1})).isEqualTo(CreateOutcome.EXISTS);
    int length = key.getBytes(UTF_8).length;
    assertThat(read(key, 0, length)).isEqualTo(key.getBytes(UTF_8));
    assertThat(array(await(store().readSuffix(key, 2)).bytes()))
        .isEqualTo(Arrays.copyOfRange(key.getBytes(UTF_8), length - 2, length));
    assertThat(await(store().length(key))).isEqualTo(length);
    assertThat(keys("", "", 10)).containsExactly(key);
    assertThat(keys(key, "", 10)).containsExactly(key);
    assertThat(keys("", key, 10)).isEmpty();
    put(key, new byte[] {7});
    assertThat(read(key, 0, 1)).containsExactly(7);
    await(store().delete(key));
    assertThat(keys("", "", 10)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("strangeKeys")
  void aStoreAtAStrangeAddressKeepsItsKeysRelative(String name) {
    try (ObjectStore strange = storeAt(name)) {
      await(strange.createIfAbsent("manifest/1", Payload.of(new byte[] {1})));
      assertThat(await(strange.list("", "", 10)).objects())
          .extracting(Listing.Entry::key)
          .containsExactly("manifest/1");
      assertThat(array(await(strange.read("manifest/1", 0, 1)))).containsExactly(1);
      await(strange.delete("manifest/1"));
    }
  }

  @ParameterizedTest
  @MethodSource("refusedKeys")
  void keysThatSomeStoreWouldFoldAreRefusedInEveryCall(String key) {
    assertFault(Fault.INVALID, () -> create(key, new byte[] {1}));
    assertFault(Fault.INVALID, () -> put(key, new byte[] {1}));
    assertFault(Fault.INVALID, () -> read(key, 0, 1));
    assertFault(Fault.INVALID, () -> await(store().readSuffix(key, 1)));
    assertFault(Fault.INVALID, () -> await(store().length(key)));
    assertFault(Fault.INVALID, () -> await(store().delete(key)));
  }

  static Stream<String> refusedKeys() {
    return Stream.of("", "/a", "a/", "a//b", "..", "a/../b", "./a", "a\nb", "a\u0000b", "a\uD83D");
  }

  @Test
  void aListingIsInTheOrderOfTheBytesOfWholeKeys() {
    List<String> inOrder =
        List.of(
            "10", "9", "A", "a-b", "a.b", "a/b-c", "a/b.d", "a/b/e", "a0", "ab/c", "b", "é", "数");
    inOrder.forEach(key -> put(key, new byte[] {1}));
    assertThat(keys("", "", 100)).containsExactlyElementsOf(inOrder);
  }

  @Test
  void pagesOfEverySizeGiveTheSameListing() {
    List<String> numbers =
        IntStream.of(8, 9, 10, 11, 98, 99, 100, 101, 999_999, 1_000_000)
            .mapToObj(n -> "manifest/%020d.manifest".formatted(n))
            .toList();
    numbers.forEach(key -> put(key, new byte[] {1}));
    put("data/00/x", new byte[] {1});
    put("manifesto", new byte[] {1});
    put("segment/00/x", new byte[] {1});
    for (int limit : new int[] {1, 2, 3, 7, 10, 11}) {
      assertThat(keys("manifest/", "", limit)).containsExactlyElementsOf(numbers);
    }
    assertThat(keys("manifest/", numbers.get(3), 2))
        .containsExactlyElementsOf(numbers.subList(4, 10));
    assertThat(keys("manifest/", "manifest/%020d".formatted(100), 3))
        .containsExactlyElementsOf(numbers.subList(6, 10));
    assertThat(keys("manifest/", numbers.get(9), 3)).isEmpty();
    assertThat(keys("manifest", "", 4)).hasSize(11);
    assertThat(keys("", "", 3)).hasSize(13);
    assertThat(keys("", "manifest/z", 3)).containsExactly("manifesto", "segment/00/x");
    assertThat(keys("data/00/x", "", 3)).containsExactly("data/00/x");
    assertThat(keys("nothing/", "", 3)).isEmpty();
    assertThat(keys("zzz", "", 3)).isEmpty();
    assertThat(keys("../", "", 3)).isEmpty();
  }

  @Test
  void aPageSaysWhetherMoreFollows() {
    put("a/1", new byte[] {1});
    put("b/2", new byte[] {1, 2});
    Listing first = await(store().list("", "", 1));
    assertThat(first.truncated()).isTrue();
    Listing both = await(store().list("", "", 2));
    assertThat(both.truncated()).isFalse();
    assertThat(both.objects().get(1).length()).isEqualTo(2);
    assertThat(both.objects().get(1).lastModified())
        .isBetween(System.currentTimeMillis() - 3_600_000, System.currentTimeMillis() + 3_600_000);
  }

  @Test
  void manyObjectsAreListedPageByPage() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      keys.add("data/%02x/%05d".formatted(i % 16, i));
    }
    List<CompletableFuture<Void>> writes =
        keys.stream().map(key -> store().put(key, Payload.of(new byte[] {1}))).toList();
    writes.forEach(ObjectStoreContract::await);
    assertThat(keys("", "", 1_000)).containsExactlyElementsOf(keys.stream().sorted().toList());
    assertThat(keys("data/0f/", "data/0f/00100", 9)).hasSize(69);
  }

  @Test
  void theProbeAcceptsTheStoreAndCleansUp() {
    ConditionalCreateProbe.check(store());
    assertThat(keys("", "", 10)).isEmpty();
  }

  // ---- for subclasses ----

  final CreateOutcome create(String key, byte[] bytes) {
    return await(store().createIfAbsent(key, Payload.of(bytes)));
  }

  final void put(String key, byte[] bytes) {
    await(store().put(key, Payload.of(bytes)));
  }

  final byte[] read(String key, long offset, int length) {
    ByteBuffer bytes = await(store().read(key, offset, length));
    assertThat(bytes.position()).isZero();
    return array(bytes);
  }

  final List<String> keys(String prefix, String startAfter, int limit) {
    List<String> keys = new ArrayList<>();
    Listing page;
    String after = startAfter;
    do {
      page = await(store().list(prefix, after, limit));
      assertThat(page.objects().size()).isLessThanOrEqualTo(limit);
      keys.addAll(page.objects().stream().map(Listing.Entry::key).toList());
      after = keys.isEmpty() ? after : keys.get(keys.size() - 1);
    } while (page.truncated());
    return keys;
  }

  static <T> T await(CompletableFuture<T> future) {
    return Futures.await(future.orTimeout(60, TimeUnit.SECONDS));
  }

  static byte[] array(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static void assertFault(Fault fault, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault));
  }

  private static void pass(CyclicBarrier barrier) {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
