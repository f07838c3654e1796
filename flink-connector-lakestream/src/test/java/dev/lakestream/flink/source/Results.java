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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * What a job has emitted, each record once whatever failed: records become results when a
 * checkpoint behind them is complete, in the order in which a writer of parallelism 1 got them.
 *
 * <p>Stands in for Flink's collecting sink, which takes its task manager down when it is cancelled
 * before it is open; and a job whose tasks fail may meet that at every restart. Works within one
 * JVM.
 */
final class Results implements Sink<String>, SupportsCommitter<Results.Part> {

  private static final long serialVersionUID = 1L;
  private static final Map<String, Results.Taken> JOBS = new ConcurrentHashMap<>();
  private static final Map<Part, List<String>> PARKED = new ConcurrentHashMap<>();

  private final String job;

  Results(String job) {
    this.job = job;
    JOBS.put(job, new Taken());
  }

  /** The records between two checkpoints of a job. */
  record Part(String job, String id) {}

  /**
   * The next results: fewer than {@code count} if the job ends before.
   *
   * @throws AssertionError if they do not come
   */
  List<String> take(int count, Duration patience) throws InterruptedException {
    return JOBS.get(job).take(count, patience);
  }

  /** There will be no more. */
  void ended() {
    JOBS.get(job).end();
  }

  private static final class Taken {
    private final List<String> results = new ArrayList<>();
    private final Set<Part> committed = new HashSet<>();
    private boolean ended;

    /** After a failure a part may come a second time. */
    synchronized void commit(Part part) {
      if (committed.add(part)) {
        results.addAll(PARKED.remove(part));
        notifyAll();
      }
    }

    synchronized void end() {
      ended = true;
      notifyAll();
    }

    synchronized List<String> take(int count, Duration patience) throws InterruptedException {
      long deadline = System.nanoTime() + patience.toNanos();
      while (results.size() < count && !ended) {
        long left = (deadline - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          throw new AssertionError(
              results.size() + " of " + count + " results have come in " + patience);
        }
        wait(left);
      }
      List<String> next = results.subList(0, Math.min(count, results.size()));
      List<String> taken = List.copyOf(next);
      next.clear();
      return taken;
    }
  }

  @Override
  public CommittingSinkWriter<String, Part> createWriter(WriterInitContext context) {
    return new Writer(job);
  }

  private static final class Writer implements CommittingSinkWriter<String, Part> {
    private final String job;
    private List<String> records = new ArrayList<>();

    Writer(String job) {
      this.job = job;
    }

    @Override
    public void write(String record, Context context) {
      records.add(record);
    }

    @Override
    public void flush(boolean endOfInput) {}

    @Override
    public Collection<Part> prepareCommit() {
      if (records.isEmpty()) {
        return List.of();
      }
      Part part = new Part(job, UUID.randomUUID().toString());
      PARKED.put(part, records);
      records = new ArrayList<>();
      return List.of(part);
    }

    @Override
    public void close() {}
  }

  @Override
  public Committer<Part> createCommitter(CommitterInitContext context) {
    return new Commits();
  }

  private static final class Commits implements Committer<Part> {
    @Override
    public void commit(Collection<CommitRequest<Part>> requests) {
      requests.forEach(
          request -> JOBS.get(request.getCommittable().job()).commit(request.getCommittable()));
    }

    @Override
    public void close() {}
  }

  @Override
  public SimpleVersionedSerializer<Part> getCommittableSerializer() {
    return new PartSerializer();
  }

  private static final class PartSerializer implements SimpleVersionedSerializer<Part> {
    @Override
    public int getVersion() {
      return 1;
    }

    @Override
    public byte[] serialize(Part part) {
      return (part.job() + " " + part.id()).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Part deserialize(int version, byte[] bytes) {
      String[] parts = new String(bytes, StandardCharsets.UTF_8).split(" ");
      return new Part(parts[0], parts[1]);
    }
  }
}
