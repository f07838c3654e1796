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
package dev.lakestream.cli;

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.GlobalWatermark;
import dev.lakestream.store.Listings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lakestream tail}. */
@Command(
    name = "tail",
    description = {
      "Shows how the stream goes on: steps a second, the lag of each group, the storage held.",
      "One line that is renewed on a terminal, one line after the other elsewhere."
    })
final class TailCommand extends StreamCommand {

  private static final String RENEW = "\r\u001b[K";

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      defaultValue = "2s",
      converter = Durations.class,
      description = "Between two looks (default 2s).")
  private Duration interval;

  @Option(
      names = "--storage-every",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = Durations.class,
      description = "Between two listings of all objects, which tell the storage (default 30s).")
  private Duration storageEvery;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "End after so many looks; without it, go on until interrupted.")
  private Long count;

  private final boolean isTerminal = System.console() != null;
  private long storage;
  private long storageAt;
  private long stepsAt;
  private Manifest last;

  @Override
  void checkOptions() {
    if (interval.isZero() || (count != null && count < 1)) {
      throw wrong("--interval must be more than 0, and --count 1 or more.");
    }
  }

  @Override
  void run(TrainingStream opened) {
    PrintWriter out = out();
    for (long look = 1; ; look++) {
      String line = look(opened);
      out.print(isTerminal ? RENEW + line : line + System.lineSeparator());
      out.flush();
      if (count != null && look >= count) {
        out.print(isTerminal ? System.lineSeparator() : "");
        return;
      }
      opened.time().sleep(interval);
    }
  }

  private String look(TrainingStream opened) {
    long now = opened.time().nanoTime();
    // By a listing each time: reclamation may take away what followed the one seen last.
    Manifest head = opened.log().newest();
    String rate =
        last == null
            ? ""
            : String.format(
                Locale.ROOT,
                " (%.1f/s)",
                (head.nextStep() - last.nextStep()) * 1e9 / Math.max(1, now - stepsAt));
    last = head;
    stepsAt = now;
    String lags =
        GlobalWatermark.read(opened).groups().stream()
            .map(group -> group.name() + " " + Text.number(head.nextStep() - group.step()))
            .collect(Collectors.joining(", "));
    return Text.time(opened.time().currentTimeMillis())
        + "  manifest "
        + Text.number(head.version())
        + "  next step "
        + Text.number(head.nextStep())
        + rate
        + "  held "
        + Text.number(head.steps())
        + "  lag "
        + (lags.isEmpty() ? "none recorded" : lags)
        + "  storage "
        + Text.size(storage(opened, now));
  }

  private long storage(TrainingStream opened, long now) {
    if (storageAt == 0 || now - storageAt >= storageEvery.toNanos()) {
      long[] bytes = {0};
      Listings.forEach(opened.store(), "", object -> bytes[0] += object.length());
      storage = bytes[0];
      storageAt = now;
    }
    return storage;
  }
}
