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
package dev.lakestream.consumer.topology;

/**
 * What a rank takes of one stored slice: some of its records, in order, and of a sequence that is
 * cut, some of its columns.
 *
 * @param step whose slice it is
 * @param d the replica that it was written for
 * @param c the chunk that it was written for
 * @param fromRecord the first record
 * @param toRecord one past the last; {@link #ALL}: to the end of the slice, however many there are
 * @param fromColumn the first token of each sequence, counted within this chunk; {@link #ALL}: the
 *     chunk is not cut
 * @param toColumn one past the last; {@link #ALL} together with {@code fromColumn}
 */
public record Part(
    long step, int d, int c, int fromRecord, int toRecord, int fromColumn, int toColumn) {

  /** Stands for "not cut". */
  public static final int ALL = -1;

  /** The whole slice. */
  static Part whole(long step, int d, int c) {
    return new Part(step, d, c, 0, ALL, ALL, ALL);
  }

  /** Some records of a slice. */
  static Part records(long step, int d, int c, int from, int to) {
    return new Part(step, d, c, from, to, ALL, ALL);
  }

  /** The same records, and of each sequence some columns only. */
  Part columns(int from, int to) {
    return new Part(step, d, c, fromRecord, toRecord, from, to);
  }

  /** The same with its end stated, where it was "to the end". */
  public Part ofSlice(int records) {
    return toRecord == ALL ? new Part(step, d, c, fromRecord, records, fromColumn, toColumn) : this;
  }

  /** Whether it is all that a slice of so many records holds. */
  public boolean isWhole(int records) {
    return fromRecord == 0 && (toRecord == ALL || toRecord == records) && fromColumn == ALL;
  }
}
