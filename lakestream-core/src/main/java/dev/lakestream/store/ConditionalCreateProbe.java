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

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses a store on which two writers could both believe that they created one object (invariant
 * I6): every guarantee of the commit protocol stands on that.
 *
 * <p>There are stores that ignore {@code If-None-Match}, and there are some that check it and write
 * in two steps: the latter pass as long as nobody races. So one key is created twice in sequence,
 * and some keys are created by several threads at once, each with content of its own.
 *
 * <p>Assumptions: a store that lets several win does so often. A race that it happens to hold
 * {@value #ROUNDS} times is missed here, and found by the chain of commit ids in the manifests.
 * Answers that leave an outcome open decide nothing, and are asked for again, a bounded number of
 * times.
 */
public final class ConditionalCreateProbe {

  private static final Logger LOG = LoggerFactory.getLogger(ConditionalCreateProbe.class);

  private static final int ROUNDS = 5;
  private static final int RACERS = 8;
  private static final int INCONCLUSIVE = 10;
  private static final int CONTENT_BYTES = 2048;
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ObjectStore store;
  private final Time time;
  private final String prefix = "probe/" + UUID.randomUUID() + "/";
  private final List<String> used = new ArrayList<>();

  private ConditionalCreateProbe(ObjectStore store, Time time) {
    this.store = store;
    this.time = time;
  }

  /**
   * Some 60 small requests, below {@code probe/}, which are cleaned up afterwards.
   *
   * @throws StoreException {@link Fault#UNSAFE} if the store does not hold the condition; what else
   *     the store answers, such as {@link Fault#DENIED}, passes through
   */
  public static void check(ObjectStore store) {
    check(store, Time.SYSTEM);
  }

  /** With the time in which to wait between repetitions. */
  public static void check(ObjectStore store, Time time) {
    new ConditionalCreateProbe(store, time).run();
  }

  private void run() {
    ExecutorService threads =
        Executors.newFixedThreadPool(RACERS, DaemonThreads.named("lakestream-probe"));
    try {
      until(this::inSequence);
      for (int round = 0; round < ROUNDS; round++) {
        until(() -> inARace(threads));
      }
    } finally {
      threads.shutdownNow();
      cleanUp();
    }
  }

  /** Repeats a test that decided nothing; the last time its failure is the answer. */
  private void until(Attempt attempt) {
    for (int left = INCONCLUSIVE; ; left--) {
      try {
        if (attempt.decided()) {
          return;
        }
        if (left == 0) {
          throw new StoreException(
              Fault.TRANSIENT,
              "Whether "
                  + store.address()
                  + " holds a conditional create could not be found out: it answered 'try again'"
                  + " too often. Try later.");
        }
      } catch (StoreException e) {
        if (!e.fault().retryable() || left == 0) {
          throw e;
        }
      }
      time.sleep(PAUSE);
    }
  }

  private boolean inSequence() {
    String key = newKey();
    byte[] first = content(1);
    byte[] second = content(2);
    CreateOutcome outcome = create(key, first);
    if (outcome != CreateOutcome.CREATED) {
      return undecidedUnless(outcome == CreateOutcome.EXISTS, key, "said a new key was taken");
    }
    outcome = create(key, second);
    if (outcome == CreateOutcome.CREATED) {
      throw unsafe("created one key twice (" + key + "): it ignores If-None-Match");
    }
    requireContent(key, first);
    return outcome == CreateOutcome.EXISTS;
  }

  private boolean undecidedUnless(boolean wrong, String key, String what) {
    if (wrong) {
      throw unsafe(what + " (" + key + ")");
    }
    return false;
  }

  private boolean inARace(ExecutorService threads) {
    String key = newKey();
    CyclicBarrier start = new CyclicBarrier(RACERS);
    List<CompletableFuture<CreateOutcome>> racers = new ArrayList<>();
    for (int racer = 0; racer < RACERS; racer++) {
      byte[] content = content(racer);
      racers.add(
          CompletableFuture.supplyAsync(
              () -> {
                pass(start);
                return create(key, content);
              },
              threads));
    }
    List<Integer> winners = new ArrayList<>();
    boolean allKnown = true;
    StoreException permanent = null;
    for (int racer = 0; racer < RACERS; racer++) {
      try {
        CreateOutcome outcome = Futures.await(racers.get(racer));
        if (outcome == CreateOutcome.CREATED) {
          winners.add(racer);
        }
        allKnown &= outcome != CreateOutcome.TRY_AGAIN;
      } catch (StoreException e) {
        allKnown = false;
        permanent = e.fault().retryable() ? permanent : e;
      }
    }
    if (permanent != null) {
      throw permanent;
    }
    if (winners.size() > 1) {
      throw unsafe(winners.size() + " of " + RACERS + " writers created one key at once");
    }
    if (winners.isEmpty()) {
      return undecidedUnless(allKnown, key, "let nobody win a new key");
    }
    requireContent(key, content(winners.get(0)));
    return true;
  }

  private void requireContent(String key, byte[] expected) {
    ByteBuffer found = Futures.await(store.read(key, 0, CONTENT_BYTES));
    if (!found.equals(ByteBuffer.wrap(expected))) {
      throw unsafe("replaced the content of a key that was taken (" + key + ")");
    }
  }

  private CreateOutcome create(String key, byte[] content) {
    return Futures.await(store.createIfAbsent(key, Payload.of(content)));
  }

  private String newKey() {
    String key = prefix + used.size();
    used.add(key);
    return key;
  }

  private byte[] content(int writer) {
    byte[] content = new byte[CONTENT_BYTES];
    byte[] name = (prefix + " writer " + writer).getBytes(UTF_8);
    for (int i = 0; i < content.length; i++) {
      content[i] = name[i % name.length];
    }
    return content;
  }

  private static void pass(CyclicBarrier start) {
    try {
      start.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new InterruptedOperationException("The probe's race did not start.", e);
    }
  }

  private StoreException unsafe(String what) {
    return new StoreException(
        Fault.UNSAFE,
        store.address()
            + " cannot hold a stream: the store "
            + what
            + ". Two producers would overwrite each other's commits. Use a store with conditional"
            + " writes (S3, Ceph RGW, MinIO, a local disk), or update this one.");
  }

  private void cleanUp() {
    for (String key : used) {
      try {
        Futures.await(store.delete(key));
      } catch (StoreException e) {
        LOG.warn("Could not remove the probe's object {} at {}", key, store.address(), e);
      }
    }
  }

  /** One test of the store. */
  @FunctionalInterface
  private interface Attempt {
    /** Whether it could tell; throws if the answer is bad. */
    boolean decided();
  }
}
