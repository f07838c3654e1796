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
package dev.lakestream.batch;

import java.util.Map;

/**
 * A bundle that is in the store and not (yet) part of the stream: everything that a descriptor says
 * of it except its place.
 *
 * @param object its name, relative to the stream
 * @param objectLength in bytes
 * @param footerOffset of the footer message
 * @param footerLength of the footer message, in bytes
 * @param tgbCount K: how many consecutive steps it will fill
 * @param mesh of each of its TGBs
 * @param records over all slices
 * @param rawBytes over all slices, before compression
 * @param eventTime of its records; null: unknown
 * @param sectionStride not 0: section r begins at 8 + r * sectionStride and is that long
 * @param attributes free, small
 */
public record StagedBundle(
    String object,
    long objectLength,
    long footerOffset,
    int footerLength,
    int tgbCount,
    Mesh mesh,
    long records,
    long rawBytes,
    EventTimeRange eventTime,
    long sectionStride,
    Map<String, String> attributes) {

  public StagedBundle {
    attributes = Map.copyOf(attributes);
  }

  /** The same under another name. */
  StagedBundle named(String name) {
    return new StagedBundle(
        name,
        objectLength,
        footerOffset,
        footerLength,
        tgbCount,
        mesh,
        records,
        rawBytes,
        eventTime,
        sectionStride,
        attributes);
  }

  /** How many rows of the stream it fills: one for each step and replica. */
  public long rows() {
    return (long) tgbCount * mesh.dp();
  }
}
