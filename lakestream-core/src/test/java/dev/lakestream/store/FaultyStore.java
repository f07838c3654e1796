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

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A store that fails on purpose, around any other. Rules decide in the order in which they were
 * made; a rule that lets a request proceed (a delay, say) hands it to the rules after it. What no
 * rule answers may meet the {@link FaultPlan}, and otherwise reaches the store below.
 *
 * <pre>{@code
 * faulty.on(Op.CREATE, key -> key.endsWith("7.manifest")).times(2).answer(Answer.conflict());
 * faulty.on(Op.LIST).answer(Answer.pagesOf(7));
 * }</pre>
 *
 * Futures are complete when a call returns, if those of the store below are. Thread-safe.
 */
public final class FaultyStore implements ObjectStore {

  private final ObjectStore store;
  private final Time time;
  private final RequestLog log = new RequestLog();
  private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
  private final List<Listing.Entry> neighbours = new CopyOnWriteArrayList<>();
  private final HeldRequests held = new HeldRequests();
  private final StoreHistory history;
  private volatile FaultPlan plan = FaultPlan.seeded(0);

  public FaultyStore(ObjectStore store, Time time) {
    this.store = store;
    this.history = new StoreHistory(store);
    this.time = time;
  }

  /** Around a new {@link MemoryStore}. */
  public static FaultyStore inMemory() {
    return new FaultyStore(new MemoryStore(), Time.SYSTEM);
  }

  /** A rule for requests of this kind on any key. */
  public FaultRule on(Op op) {
    return on(op, key -> true);
  }

  /** A rule for requests of this kind on these keys (for a LIST: the prefix). */
  public FaultRule on(Op op, Predicate<String> key) {
    return new FaultRule(op, key, time, rules);
  }

  /** Lets requests meet random faults. */
  public void install(FaultPlan plan) {
    this.plan = plan;
  }

  /** Removes rules and plan. What is held stays held. */
  public void heal() {
    rules.clear();
    plan = FaultPlan.seeded(0);
  }

  /** Shows objects in listings that nobody here has written, such as a folder marker. */
  public void addNeighbour(String key, long length) {
    neighbours.add(new Listing.Entry(key, length, time.currentTimeMillis()));
  }

  /** Applies every request that {@link Answer#appliedLate} has held back, in order. */
  public void deliverHeld() {
    held.releaseAll();
  }

  /** How many requests are held back. */
  public int heldRequests() {
    return held.count();
  }

  public RequestLog log() {
    return log;
  }

  @Override
  public String address() {
    return store.address();
  }

  @Override
  public CompletableFuture<CreateOutcome> createIfAbsent(String key, Payload content) {
    return answer(new Request(Op.CREATE, key).with(content));
  }

  @Override
  public CompletableFuture<Void> put(String key, Payload content) {
    return answer(new Request(Op.PUT, key).with(content));
  }

  @Override
  public CompletableFuture<ByteBuffer> read(String key, long offset, int length) {
    if (length == 0) {
      return store.read(key, offset, length); // makes no request
    }
    Request request = new Request(Op.READ, key);
    request.offset = offset;
    request.size = length;
    return answer(request);
  }

  @Override
  public CompletableFuture<Suffix> readSuffix(String key, int length) {
    Request request = new Request(Op.READ_SUFFIX, key);
    request.size = length;
    return answer(request);
  }

  @Override
  public CompletableFuture<Long> length(String key) {
    return answer(new Request(Op.LENGTH, key));
  }

  @Override
  public CompletableFuture<Listing> list(String prefix, String startAfter, int limit) {
    Request request = new Request(Op.LIST, prefix);
    request.startAfter = startAfter;
    request.size = limit;
    return answer(request);
  }

  @Override
  public CompletableFuture<Void> delete(String key) {
    return answer(new Request(Op.DELETE, key));
  }

  @Override
  public void close() {
    store.close();
  }

  @SuppressWarnings("unchecked") // an answer has the type of its operation
  private <T> CompletableFuture<T> answer(Request request) {
    held.releaseDue();
    CompletableFuture<T> answer = (CompletableFuture<T>) request.proceed();
    return answer.whenComplete((result, error) -> log(request, error == null ? result : null));
  }

  private void log(Request request, Object result) {
    long up = request.content == null ? 0 : request.content.length();
    long down =
        result instanceof ByteBuffer bytes
            ? bytes.remaining()
            : result instanceof Suffix suffix ? suffix.bytes().remaining() : 0;
    log.add(request.op, request.key, up, down);
  }

  private static Listing page(
      TreeMap<String, Listing.Entry> contents, String startAfter, int limit) {
    List<Listing.Entry> rest = List.copyOf(contents.tailMap(startAfter, false).values());
    return new Listing(rest.subList(0, Math.min(limit, rest.size())), rest.size() > limit);
  }

  /** A request on its way through the rules. */
  public final class Request {
    private final Op op;
    private final String key;
    private Payload content;
    private String startAfter;
    private long offset;
    private int size;
    private int nextRule;
    private boolean planned;

    private Request(Op op, String key) {
      this.op = op;
      this.key = key;
    }

    private Request with(Payload payload) {
      this.content = payload;
      return this;
    }

    public Op op() {
      return op;
    }

    /** The key; for a LIST the prefix. */
    public String key() {
      return key;
    }

    public Time time() {
      return time;
    }

    /** Hands the request on: to the next rule that takes it, to the plan, to the store. */
    public CompletableFuture<?> proceed() {
      while (nextRule < rules.size()) {
        FaultRule rule = rules.get(nextRule++);
        if (rule.takes(this)) {
          return rule.answer().to(this);
        }
      }
      if (!planned) {
        planned = true;
        Answer risk = plan.draw(op);
        if (risk != null) {
          return risk.to(this);
        }
      }
      return apply();
    }

    @SuppressWarnings("unchecked") // the caller knows its operation
    <T> CompletableFuture<T> proceedAs() {
      return (CompletableFuture<T>) proceed();
    }

    CompletableFuture<?> proceedWithLimit(int limit) {
      size = Math.min(size, limit);
      return proceed();
    }

    boolean exists() {
      return history.entry(key) != null;
    }

    CompletableFuture<?> overwrite() {
      Listing.Entry before = history.entry(key);
      return store
          .put(key, content)
          .thenApply(
              done -> {
                history.remember(key, before);
                return CreateOutcome.CREATED;
              });
    }

    CompletableFuture<?> staleListing(int changes) {
      return CompletableFuture.completedFuture(
          page(history.contents(key, changes), startAfter, size));
    }

    CompletableFuture<?> truncated(int bytes) {
      if (op == Op.LENGTH) {
        return store.length(key).thenApply(length -> Math.min(length, bytes));
      }
      if (op == Op.READ_SUFFIX) {
        int taken = Math.min(size, bytes);
        return store.read(key, bytes - taken, taken).thenApply(end -> new Suffix(end, bytes));
      }
      return offset + size <= bytes
          ? apply()
          : CompletableFuture.failedFuture(
              new StoreException(
                  Fault.OUT_OF_RANGE, "injected: " + key + " has only " + bytes + " bytes"));
    }

    /** Keeps a copy of the content: the caller may use its buffers again once it has an answer. */
    void hold(int requests) {
      Request copy = new Request(op, key);
      if (content != null) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(content.length()));
        content.buffers().forEach(bytes::put);
        copy.content = Payload.of(bytes.array());
      }
      held.add(copy::applyIgnoringTheResult, requests);
    }

    private void applyIgnoringTheResult() {
      Futures.await(apply().handle((result, error) -> null));
    }

    private CompletableFuture<?> apply() {
      return switch (op) {
        case CREATE -> changing(() -> store.createIfAbsent(key, content));
        case PUT -> changing(() -> store.put(key, content));
        case READ -> store.read(key, offset, size);
        case READ_SUFFIX -> store.readSuffix(key, size);
        case LENGTH -> store.length(key);
        case LIST -> listing();
        case DELETE -> changing(() -> store.delete(key));
      };
    }

    private <T> CompletableFuture<T> changing(Supplier<CompletableFuture<T>> write) {
      Listing.Entry before = history.entry(key);
      return write
          .get()
          .thenApply(
              result -> {
                if (result == null || result == CreateOutcome.CREATED) {
                  history.remember(key, before);
                }
                return result;
              });
    }

    private CompletableFuture<Listing> listing() {
      if (neighbours.isEmpty()) {
        return store.list(key, startAfter, size);
      }
      TreeMap<String, Listing.Entry> contents = history.contents(key, 0);
      neighbours.stream()
          .filter(entry -> entry.key().startsWith(key))
          .forEach(entry -> contents.put(entry.key(), entry));
      return CompletableFuture.completedFuture(page(contents, startAfter, size));
    }

    @Override
    public String toString() {
      return op + " " + key;
    }
  }
}
