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
package dev.lakestream.flink.table.arrow;

import org.apache.arrow.vector.types.TimeUnit;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;

/** Between Flink's timestamps and Arrow's counts of a unit since the epoch. */
public final class Timestamps {

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long LEAST_MILLIS = Long.MIN_VALUE / NANOS_PER_MILLI;
  private static final long MOST_MILLIS = Long.MAX_VALUE / NANOS_PER_MILLI - 1;

  private Timestamps() {}

  /** Digits beyond the unit, which a value of the type does not have, are cut off. */
  static long toUnit(TimestampData value, TimeUnit unit) {
    long millis = value.getMillisecond();
    return switch (unit) {
      case SECOND -> Math.floorDiv(millis, 1000L);
      case MILLISECOND -> millis;
      case MICROSECOND ->
          Math.addExact(Math.multiplyExact(millis, 1000L), value.getNanoOfMillisecond() / 1000);
      case NANOSECOND ->
          Math.addExact(Math.multiplyExact(millis, NANOS_PER_MILLI), value.getNanoOfMillisecond());
    };
  }

  static TimestampData fromUnit(long value, TimeUnit unit) {
    return switch (unit) {
      case SECOND -> TimestampData.fromEpochMillis(Math.multiplyExact(value, 1000L));
      case MILLISECOND -> TimestampData.fromEpochMillis(value);
      case MICROSECOND ->
          TimestampData.fromEpochMillis(
              Math.floorDiv(value, 1000L), (int) Math.floorMod(value, 1000L) * 1000);
      case NANOSECOND ->
          TimestampData.fromEpochMillis(
              Math.floorDiv(value, NANOS_PER_MILLI), (int) Math.floorMod(value, NANOS_PER_MILLI));
    };
  }

  /**
   * Whether a slice can hold it: nanoseconds, which a precision above 6 takes, reach from
   * 1677-09-22 to 2262-04-11.
   *
   * @param type of the timestamp
   */
  public static boolean fits(TimestampData value, LogicalType type) {
    return ArrowTypes.timestampUnit(type) != TimeUnit.NANOSECOND
        || (value.getMillisecond() > LEAST_MILLIS && value.getMillisecond() < MOST_MILLIS);
  }
}
