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

import java.util.Locale;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.description.InlineElement;
import org.apache.flink.configuration.description.TextElement;

/**
 * Where a source ends ({@code scan.bounded.mode}).
 *
 * @param number the step or the time, where the kind has one
 */
public record BoundedMode(Kind kind, long number) {

  /** Of an end. */
  public enum Kind implements DescribedEnum {
    NONE("Never: the source waits for what is published next."),
    LATEST("Behind the newest step that the stream holds when the job starts."),
    STEP("Before 'scan.bounded.step'. The source waits for steps below it that do not exist yet."),
    TIMESTAMP(
        "Before the first step published at 'scan.bounded.timestamp-millis' or later. A time in"
            + " the future is waited for.");

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

  /** Never. */
  public static BoundedMode none() {
    return new BoundedMode(Kind.NONE, 0);
  }

  /** Behind the newest step at the start of the job. */
  public static BoundedMode latest() {
    return new BoundedMode(Kind.LATEST, 0);
  }

  /** Before this step. */
  public static BoundedMode step(long step) {
    if (step < 0) {
      throw new IllegalArgumentException("There is no step " + step + " to end before.");
    }
    return new BoundedMode(Kind.STEP, step);
  }

  /** Before the first step published at this time, in milliseconds since the epoch, or later. */
  public static BoundedMode timestamp(long millis) {
    return new BoundedMode(Kind.TIMESTAMP, millis);
  }

  boolean bounded() {
    return kind != Kind.NONE;
  }

  void putInto(Configuration options) {
    options.set(LakestreamSourceOptions.BOUNDED_MODE, kind);
    switch (kind) {
      case STEP -> options.set(LakestreamSourceOptions.BOUNDED_STEP, number);
      case TIMESTAMP -> options.set(LakestreamSourceOptions.BOUNDED_TIMESTAMP_MILLIS, number);
      default -> {}
    }
  }

  /**
   * @throws IllegalArgumentException if the value that the mode needs is missing, or if one is set
   *     that it does not use
   */
  static BoundedMode of(ReadableConfig options) {
    Kind kind = options.get(LakestreamSourceOptions.BOUNDED_MODE);
    OptionChecks checks = new OptionChecks(options, LakestreamSourceOptions.BOUNDED_MODE, kind);
    checks.onlyWith(LakestreamSourceOptions.BOUNDED_STEP, kind == Kind.STEP);
    checks.onlyWith(LakestreamSourceOptions.BOUNDED_TIMESTAMP_MILLIS, kind == Kind.TIMESTAMP);
    return switch (kind) {
      case NONE -> none();
      case LATEST -> latest();
      case STEP -> step(options.get(LakestreamSourceOptions.BOUNDED_STEP));
      case TIMESTAMP -> timestamp(options.get(LakestreamSourceOptions.BOUNDED_TIMESTAMP_MILLIS));
    };
  }
}
