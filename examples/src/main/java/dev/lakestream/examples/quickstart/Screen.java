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
package dev.lakestream.examples.quickstart;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * What a person sees. On a terminal progress is a bar that gives way to the results; elsewhere it
 * is a line at each quarter.
 */
final class Screen {

  private static final String INDENT = "   ";
  private static final int MOST_COLUMNS = 100;

  private final PrintStream out;
  private final int columns;
  private final boolean colour;
  private final boolean unicode;

  /**
   * @param columns of the terminal; 0: not a terminal
   */
  Screen(PrintStream out, int columns, boolean colour, boolean unicode) {
    this.out = out;
    this.columns = Math.min(columns, MOST_COLUMNS);
    this.colour = colour && columns > 0;
    this.unicode = unicode;
  }

  /** The terminal that {@code LAKESTREAM_COLUMNS} tells of, or a file or pipe without it. */
  static Screen standard(Map<String, String> environment) {
    String columns = environment.getOrDefault("LAKESTREAM_COLUMNS", "0");
    String locale =
        environment.getOrDefault("LC_ALL", "")
            + environment.getOrDefault("LC_CTYPE", "")
            + environment.getOrDefault("LANG", "");
    boolean unicode = locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
    return new Screen(
        new PrintStream(System.out, true, StandardCharsets.UTF_8),
        columns.matches("\\d{1,4}") ? Integer.parseInt(columns) : 0,
        !environment.containsKey("NO_COLOR"),
        unicode);
  }

  void title(String text) {
    out.println();
    out.println(bold(text));
  }

  void heading(String text) {
    out.println();
    out.println(bold(text));
  }

  void line(String text) {
    out.println(INDENT + text);
  }

  void blank() {
    out.println();
  }

  /** A name and what is to be said of it, aligned with the others. */
  void fact(String name, String text) {
    out.println(INDENT + "%-14s".formatted(name) + text);
  }

  void good(String text) {
    out.println(INDENT + paint("32;1", text));
  }

  /** What is wrong, and one line or several about it. */
  void failure(String text, String message) {
    out.println();
    out.println(INDENT + paint("31;1", text));
    message.lines().forEach(this::line);
  }

  private String bold(String text) {
    return paint("1", text);
  }

  private String paint(String code, String text) {
    return colour ? "\033[" + code + "m" + text + "\033[0m" : text;
  }

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
  }

  static String percent(long part, long whole) {
    return String.format(Locale.ROOT, "%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
  }

  /** Shows how far a phase is. */
  interface Bar extends AutoCloseable {

    /** One more is done. Safe for several threads. */
    void step();

    /** So many are done. */
    void to(long done);

    @Override
    void close();
  }

  /**
   * @param done so many are done already
   * @param most so many there are, as far as is known
   */
  Bar bar(String task, String unit, long done, long most) {
    return columns > 0 ? new Drawn(task, unit, done, most) : new Lines(task, unit, done, most);
  }

  private final class Drawn implements Bar {

    private final ProgressBar bar;

    Drawn(String task, String unit, long done, long most) {
      this.bar =
          new ProgressBarBuilder()
              .setTaskName(INDENT + task)
              .setUnit(" " + unit, 1)
              .setInitialMax(most)
              .startsFrom(done, Duration.ZERO)
              .setStyle(unicode ? ProgressBarStyle.UNICODE_BLOCK : ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(100)
              .setConsumer(new ConsoleProgressBarConsumer(out, columns - 1))
              .hideEta()
              .clearDisplayOnFinish()
              .build();
    }

    @Override
    public void step() {
      bar.step();
    }

    @Override
    public void to(long done) {
      bar.stepTo(Math.min(done, bar.getMax()));
    }

    @Override
    public void close() {
      bar.close();
    }
  }

  private final class Lines implements Bar {

    private final String task;
    private final String unit;
    private final long most;
    private long done;
    private long quarters;

    Lines(String task, String unit, long done, long most) {
      this.task = task;
      this.unit = unit;
      this.most = most;
      this.quarters = quarters(done);
    }

    private long quarters(long value) {
      return most == 0 ? 0 : value * 4 / most;
    }

    @Override
    public synchronized void step() {
      to(done + 1);
    }

    @Override
    public synchronized void to(long value) {
      done = Math.min(value, most);
      if (quarters(done) > quarters) {
        quarters = quarters(done);
        line(
            "%s %3d %%  %s of %s %s"
                .formatted(task, quarters * 25, count(done), count(most), unit));
      }
    }

    @Override
    public void close() {}
  }
}
