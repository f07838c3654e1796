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

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.functions.MapFunction;

/** Holds the records of a task back, after so many of them, until a test opens it. */
final class Gate implements MapFunction<String, String> {

  private static final long serialVersionUID = 1L;
  private static final Map<String, CountDownLatch> GATES = new ConcurrentHashMap<>();

  private final String name = UUID.randomUUID().toString();
  private final int first;
  private int seen;

  private Gate(int first) {
    this.first = first;
    GATES.put(name, new CountDownLatch(1));
  }

  static Gate after(int records) {
    return new Gate(records);
  }

  void open() {
    GATES.get(name).countDown();
  }

  @Override
  public String map(String record) throws Exception {
    if (++seen > first) {
      GATES.get(name).await();
    }
    return record;
  }
}
