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

import dev.lakestream.consumer.Cursor;
import dev.lakestream.retention.Watermark;
import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.description.InlineElement;
import org.apache.flink.configuration.description.TextElement;

/**
 * Where a source starts that has no state to go on from ({@code scan.startup.mode}).
 *
 * @param number the step or the time, where the kind has one
 * @param text the cursor or the group, where the kind has one; empty otherwise
 */
public record StartupMode(Kind kind, long number, String text) {

  /** Of a start. */
  public enum Kind implements DescribedEnum {
    EARLIEST("At the first step that the stream holds."),
    LATEST("At the step that is published next after the job starts."),
    STEP("At 'scan.startup.step'."),
    CURSOR("At the step of 'scan.startup.cursor', a cursor of a training job as text."),
    TIMESTAMP("At the first step published at 'scan.startup.timestamp-millis' or later."),
    GROUP(
        "Where 'scan.consumer-group' stands; at the first step held if it has recorded nothing. Of"
            + " a training group the source takes the start and records nothing.");

    private final String description;

    Kind(String description) {
      this.description = description;
    }

    @Override
    public InlineElement getDescription() {
      return TextElement.text(description);
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** At the first step that the stream holds. */
  public static StartupMode earliest() {
    return new StartupMode(Kind.EARLIEST, 0, "");
  }

  /** At the step that is published next. */
  public static StartupMode latest() {
    return new StartupMode(Kind.LATEST, 0, "");
  }

  /** At this step; an unbounded source waits for one that does not exist yet. */
  public static StartupMode step(long step) {
    if (step < 0) {
      throw new IllegalArgumentException("There is no step " + step + " to start at.");
    }
    return new StartupMode(Kind.STEP, step, "");
  }

  /**
   * At the cursor's step; refused if it is a cursor of another stream. One that stands inside a
   * step (mode {@code rows}) starts the source with that step, whole.
   */
  public static StartupMode cursor(Cursor cursor) {
    return new StartupMode(Kind.CURSOR, cursor.step(), cursor.toText());
  }

  /**
   * At the first step that was published at this time, in milliseconds since the epoch, or later.
   */
  public static StartupMode timestamp(long millis) {
    return new StartupMode(Kind.TIMESTAMP, millis, "");
  }

  /**
   * Where the group stands; at the first step held if it has recorded nothing. The source then
   * records its own position under that name, unless it is that of a training group, which only a
   * training job moves.
   */
  public static StartupMode group(String name) {
    return new StartupMode(Kind.GROUP, 0, Watermark.requireGroup(name));
  }

  void putInto(Configuration options) {
    options.set(LakestreamSourceOptions.STARTUP_MODE, kind);
    switch (kind) {
      case STEP -> options.set(LakestreamSourceOptions.STARTUP_STEP, number);
      case CURSOR -> options.set(LakestreamSourceOptions.STARTUP_CURSOR, text);
      case TIMESTAMP -> options.set(LakestreamSourceOptions.STARTUP_TIMESTAMP_MILLIS, number);
      case GROUP -> options.set(LakestreamSourceOptions.CONSUMER_GROUP, text);
      default -> {}
    }
  }

  /**
   * @throws IllegalArgumentException if the value that the mode needs is missing, or if one is set
   *     that it does not use
   */
  static StartupMode of(ReadableConfig options) {
    Kind kind = options.get(LakestreamSourceOptions.STARTUP_MODE);
    OptionChecks checks = new OptionChecks(options, LakestreamSourceOptions.STARTUP_MODE, kind);
    checks.onlyWith(LakestreamSourceOptions.STARTUP_STEP, kind == Kind.STEP);
    checks.onlyWith(LakestreamSourceOptions.STARTUP_CURSOR, kind == Kind.CURSOR);
    checks.onlyWith(LakestreamSourceOptions.STARTUP_TIMESTAMP_MILLIS, kind == Kind.TIMESTAMP);
    return switch (kind) {
      case EARLIEST -> earliest();
      case LATEST -> latest();
      case STEP -> step(options.get(LakestreamSourceOptions.STARTUP_STEP));
      case CURSOR -> cursor(Cursor.parse(options.get(LakestreamSourceOptions.STARTUP_CURSOR)));
      case TIMESTAMP -> timestamp(options.get(LakestreamSourceOptions.STARTUP_TIMESTAMP_MILLIS));
      case GROUP -> group(checks.needed(LakestreamSourceOptions.CONSUMER_GROUP));
    };
  }
}
