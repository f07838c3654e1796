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
package dev.lakestream.flink.sink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Fails a job at an element, so many times; shared by all attempts in the JVM. */
final class Trap extends RichMapFunction<Long, Long> {

  private static final long serialVersionUID = 1L;
  private static final Map<String, AtomicInteger> LEFT = new ConcurrentHashMap<>();

  private final String name;
  private final long at;

  private Trap(String name, long at) {
    this.name = name;
    this.at = at;
  }

  static Trap at(long element, int times) {
    String name = "trap-" + LEFT.size() + "-" + System.nanoTime();
    LEFT.put(name, new AtomicInteger(times));
    return new Trap(name, element);
  }

  /** How often it can still fail. */
  int left() {
    return LEFT.get(name).get();
  }

  @Override
  public Long map(Long element) {
    if (element == at && LEFT.get(name).getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("On purpose, at element " + element);
    }
    return element;
  }
}
