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

/**
 * What is known of a slice beside its bytes.
 *
 * @param step of its global batch
 * @param dp d, its data-parallel replica, of {@code meshDp}
 * @param cp c, its context-parallel chunk, of {@code meshCp}
 * @param records in the slice
 * @param manifestVersion of the manifest that published it
 * @param publishedAt when that manifest was created, in milliseconds since the epoch; 0: unknown
 * @param producerId who published it
 * @param sequence under which of the producer's sequences (Flink: the checkpoint id)
 * @param bundle the object that holds it, relative to the stream
 * @param eventTimeMin least event time of the step's records; null: unknown
 * @param eventTimeMax greatest event time of the step's records; null: unknown
 * @param redactedRecords how many records were taken out of the step after it was published
 * @param attributes of the step
 */
public record SliceMetadata(
    long step,
    int dp,
    int cp,
    int meshDp,
    int meshCp,
    int records,
    long manifestVersion,
    long publishedAt,
    String producerId,
    long sequence,
    String bundle,
    Long eventTimeMin,
    Long eventTimeMax,
    long redactedRecords,
    Map<String, String> attributes) {

  /** Stands for no timestamp, as in Flink. */
  private static final long NO_TIMESTAMP = Long.MIN_VALUE;

  /**
   * The timestamp of the records: the least event time of the step, so that a watermark made of it
   * never passes a record of the step; the time of publication where event times are unknown;
   * {@code Long.MIN_VALUE} where that is too.
   */
  public long timestamp() {
    if (eventTimeMin != null) {
      return eventTimeMin;
    }
    return publishedAt > 0 ? publishedAt : NO_TIMESTAMP;
  }

  /** Names the slice in errors. */
  String what() {
    return "Slice (" + dp + ", " + cp + ") of step " + step + " in " + bundle;
  }
}
