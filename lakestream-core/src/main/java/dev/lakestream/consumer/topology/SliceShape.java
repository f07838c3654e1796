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

import dev.lakestream.batch.slice.SliceFormats;

/** How the slices of a format can be taken apart and joined. */
public enum SliceShape {
  /**
   * Bytes without known boundaries ({@code raw}, and every format that this build does not know).
   */
  OPAQUE,
  /** Records one after another; the chunks of a replica hold different ones ({@code records}). */
  FLAT,
  /** The chunks of a replica hold pieces of the same sequences ({@code tokens}). */
  CHUNKED;

  /** That of the slice format with this name. */
  public static SliceShape of(String sliceFormat) {
    return switch (sliceFormat) {
      case SliceFormats.RECORDS, SliceFormats.ARROW -> FLAT;
      case SliceFormats.TOKENS -> CHUNKED;
      default -> OPAQUE;
    };
  }
}
