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
package dev.lakestream.flink.table;

import static org.apache.flink.configuration.ConfigOptions.key;

import java.util.List;
import org.apache.flink.configuration.ConfigOption;

/** The options of a table that are neither the sink's, nor the source's, nor the store's. */
public final class LakestreamTableOptions {

  public static final ConfigOption<String> PATH =
      key("path")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Where the stream is: 's3://bucket/prefix' or 'file:///directory'. Taken literally:"
                  + " nothing in it is escaped.");

  public static final ConfigOption<String> FORMAT =
      key("format")
          .stringType()
          .defaultValue("arrow")
          .withDescription(
              "What a slice holds: 'arrow', one Arrow IPC stream of the rows; or one of Flink's"
                  + " formats, such as 'json', 'csv', 'avro' or 'raw', which encodes each row by"
                  + " itself, in the slice format records.");

  public static final ConfigOption<String> MESH =
      key("mesh")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "The shape of the batches, 'DxC': D data-parallel replicas, each cut into C"
                  + " context-parallel chunks. Needed to create a stream; of one that exists it must"
                  + " be the stream's, which is also what is written if it is not stated.");

  public static final ConfigOption<Integer> ROWS_PER_SLICE =
      key("sink.batch.rows-per-slice")
          .intType()
          .noDefaultValue()
          .withDescription(
              "So many rows each slice of a batch holds; a batch has D x C times as many. Needed to"
                  + " write.");

  public static final ConfigOption<Boolean> ARROW_DICTIONARIES =
      key("arrow.dictionaries")
          .booleanType()
          .defaultValue(true)
          .withDescription(
              "Whether a column of strings or bytes whose values repeat within a slice, such as one"
                  + " of media, is written as a dictionary where that saves a quarter of it or"
                  + " more.");

  private LakestreamTableOptions() {}

  /** All of them, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return List.of(PATH, FORMAT, MESH, ROWS_PER_SLICE, ARROW_DICTIONARIES);
  }
}
