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

import java.util.ArrayList;
import java.util.List;

/**
 * Every request that reached a {@link FaultyStore}, with the bytes of objects that went up and came
 * down, so that tests can assert what an operation costs. Thread-safe.
 */
public final class RequestLog {

  private final List<Request> requests = new ArrayList<>();

  /**
   * One request.
   *
   * @param key of the object; the prefix for a LIST
   * @param up bytes of content sent
   * @param down bytes of content received; 0 for a request that failed
   */
  public record Request(Op op, String key, long up, long down) {}

  synchronized void add(Op op, String key, long up, long down) {
    requests.add(new Request(op, key, up, down));
  }

  /** In the order in which they ended. */
  public synchronized List<Request> requests() {
    return List.copyOf(requests);
  }

  public synchronized long count() {
    return requests.size();
  }

  public long count(Op op) {
    return count(op, "");
  }

  public synchronized long count(Op op, String keyPrefix) {
    return requests.stream().filter(r -> r.op == op && r.key.startsWith(keyPrefix)).count();
  }

  public synchronized long bytesUp(String keyPrefix) {
    return requests.stream().filter(r -> r.key.startsWith(keyPrefix)).mapToLong(Request::up).sum();
  }

  public synchronized long bytesDown(String keyPrefix) {
    return requests.stream()
        .filter(r -> r.key.startsWith(keyPrefix))
        .mapToLong(Request::down)
        .sum();
  }

  public synchronized void clear() {
    requests.clear();
  }
}
