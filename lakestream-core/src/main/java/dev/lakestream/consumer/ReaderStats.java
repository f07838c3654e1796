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
package dev.lakestream.consumer;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a reader did since it was opened.
 *
 * @param waits where its time went
 * @param steps how many steps it has delivered
 * @param requests how many it has made for bundles: footers, tables and slices
 * @param bytes that came back
 * @param fetches that are under way or ready
 * @param fetchLimit how many that may be now
 * @param fetchedBytes held or under way
 * @param latency of a fetch, a moving average; zero: none has ended yet
 */
public record ReaderStats(
    Map<Stage, Duration> waits,
    long steps,
    long requests,
    long bytes,
    int fetches,
    int fetchLimit,
    long fetchedBytes,
    Duration latency) {

  public ReaderStats {
    waits = Map.copyOf(waits);
  }

  /** The stage that most of the time went to. */
  public Stage slowest() {
    return new EnumMap<>(waits)
        .entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  /** The whole story on one line, the slowest stage by name. */
  public String whereTimeWent() {
    double all = Math.max(1, waits.values().stream().mapToLong(Duration::toNanos).sum());
    StringBuilder shares = new StringBuilder();
    for (Map.Entry<Stage, Duration> wait : new EnumMap<>(waits).entrySet()) {
      String name = wait.getKey().name().toLowerCase(Locale.ROOT);
      shares.append(
          String.format(Locale.ROOT, ", %s %.1f %%", name, 100 * wait.getValue().toNanos() / all));
    }
    return String.format(
        Locale.ROOT,
        "Most of %.1f s for %d steps went to %s%s; %d requests, %d bytes, %d of %d fetches under way,"
            + " %.1f ms each",
        all / 1e9,
        steps,
        slowest().name().toLowerCase(Locale.ROOT),
        shares,
        requests,
        bytes,
        fetches,
        fetchLimit,
        latency.toNanos() / 1e6);
  }
}
