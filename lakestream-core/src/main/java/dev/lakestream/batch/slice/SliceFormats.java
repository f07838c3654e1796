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

/**
 * The names of the slice formats that this build knows, as they stand in the stream object. An
 * empty slice (0 bytes) is valid in each of them and holds 0 records.
 */
public final class SliceFormats {

  /** Opaque bytes: the producer and the rank agree on what they are. Cannot be split. */
  public static final String RAW = "raw";

  /** Opaque records that can be found one by one: {@link RecordSlice}. */
  public static final String RECORDS = "records";

  /** Packed token sequences of fixed length, one context-parallel chunk: {@link TokenSlice}. */
  public static final String TOKENS = "tokens";

  /** Rows of a table: one Apache Arrow IPC stream. */
  public static final String ARROW = "arrow";

  private SliceFormats() {}
}
