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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.Slice;
import java.util.List;

/** Takes records out of slices of one format. */
public interface SliceEditor {

  /** The name of the slice format, as in the stream object. */
  String format();

  /**
   * Rewrites the slices of one replica without the records that are to go.
   *
   * @param dp which replica, d
   * @param chunks its C slices, by chunk
   * @param what names the slices in errors
   * @return the slices, and how many records they lack; none: the slices are as they were
   * @throws dev.lakestream.batch.InvalidBatchException if the format cannot find records in this
   *     way, or there is no such record
   * @throws dev.lakestream.format.CorruptObjectException if the slices are not of the format
   */
  Edit without(Removal removal, int dp, List<Slice> chunks, String what);

  /**
   * What an edit came to.
   *
   * @param slices by chunk
   * @param removed how many records, or documents, were taken out
   */
  record Edit(List<Slice> slices, long removed) {}
}
