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
package dev.lakestream.manifest;

import dev.lakestream.batch.EventTimeRange;

/**
 * Where a segment is, and enough of what it holds to leave it unread.
 *
 * @param object relative to the stream
 * @param objectLength in bytes
 * @param objectCrc CRC32C of the whole object
 * @param level 0: descriptors; n: references to segments of lower levels
 * @param eventTime over all of it; null: some of it is unknown
 */
public record SegmentRef(
    String object,
    int objectLength,
    int objectCrc,
    int level,
    long firstStep,
    long stepCount,
    long firstRow,
    long rowCount,
    long bundles,
    long records,
    long rawBytes,
    EventTimeRange eventTime) {

  public long nextStep() {
    return firstStep + stepCount;
  }

  public long nextRow() {
    return firstRow + rowCount;
  }
}
