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

import dev.lakestream.assembly.InvalidSampleException;
import dev.lakestream.batch.Mesh;
import java.io.Serializable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;

/** The metadata columns of the rows that are written, as positions; -1: there is no such column. */
record WrittenMetadata(int eventTimeAt, int dpRankAt, int cpRankAt, int attributesAt)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final int EVENT_TIME_PRECISION = 3;

  static final WrittenMetadata NONE = new WrittenMetadata(-1, -1, -1, -1);

  /** What can be written, by key. */
  static Map<String, DataType> keys() {
    Map<String, DataType> keys = new LinkedHashMap<>();
    keys.put(
        MetadataKey.EVENT_TIME.key(), DataTypes.TIMESTAMP_LTZ(EVENT_TIME_PRECISION).nullable());
    keys.put(MetadataKey.DP_RANK.key(), DataTypes.INT().notNull());
    keys.put(MetadataKey.CP_RANK.key(), DataTypes.INT().notNull());
    keys.put(
        MetadataKey.ATTRIBUTES.key(),
        DataTypes.MAP(DataTypes.STRING(), DataTypes.STRING()).nullable());
    return keys;
  }

  /**
   * @param columns how many physical columns come before
   * @param keys those of the columns behind, in order
   */
  static WrittenMetadata of(int columns, List<String> keys) {
    return new WrittenMetadata(
        at(MetadataKey.EVENT_TIME, columns, keys),
        at(MetadataKey.DP_RANK, columns, keys),
        at(MetadataKey.CP_RANK, columns, keys),
        at(MetadataKey.ATTRIBUTES, columns, keys));
  }

  private static int at(MetadataKey key, int columns, List<String> keys) {
    int index = keys.indexOf(key.key());
    return index < 0 ? -1 : columns + index;
  }

  boolean isEmpty() {
    return equals(NONE);
  }

  /** Whether rows say which slice they go to. */
  boolean placed() {
    return dpRankAt >= 0 || cpRankAt >= 0;
  }

  /**
   * @throws ValidationException if rows say half of where they go
   */
  void checkAgainst(Mesh mesh) {
    if (placed() && ((dpRankAt < 0 && mesh.dp() > 1) || (cpRankAt < 0 && mesh.cp() > 1))) {
      MetadataKey has = dpRankAt < 0 ? MetadataKey.CP_RANK : MetadataKey.DP_RANK;
      MetadataKey lacks = dpRankAt < 0 ? MetadataKey.DP_RANK : MetadataKey.CP_RANK;
      throw new ValidationException(
          "The table writes '"
              + has.key()
              + "' and not '"
              + lacks.key()
              + "', and has a mesh of "
              + mesh
              + ": where a row goes is not settled. Declare both metadata columns, or make '"
              + has.key()
              + "' VIRTUAL.");
    }
  }

  /** The number of the slice that the row asks for. */
  int slice(RowData row, Mesh mesh) {
    int d = dpRankAt < 0 ? 0 : row.getInt(dpRankAt);
    int c = cpRankAt < 0 ? 0 : row.getInt(cpRankAt);
    if (d < 0 || d >= mesh.dp() || c < 0 || c >= mesh.cp()) {
      throw new InvalidSampleException(
          "A row asks for slice ("
              + d
              + ", "
              + c
              + "), which a mesh of "
              + mesh
              + " does not have.");
    }
    return mesh.index(d, c);
  }

  /** In milliseconds since the epoch; null: the row says none. */
  Long eventTime(RowData row) {
    return eventTimeAt < 0 || row.isNullAt(eventTimeAt)
        ? null
        : row.getTimestamp(eventTimeAt, EVENT_TIME_PRECISION).getMillisecond();
  }

  /**
   * What the row says of its whole batch; empty: nothing.
   *
   * @throws InvalidSampleException if a key or a value is null
   */
  Map<String, String> attributes(RowData row) {
    if (attributesAt < 0 || row.isNullAt(attributesAt)) {
      return Map.of();
    }
    MapData stated = row.getMap(attributesAt);
    ArrayData keys = stated.keyArray();
    ArrayData values = stated.valueArray();
    Map<String, String> attributes = new HashMap<>();
    for (int i = 0; i < stated.size(); i++) {
      if (keys.isNullAt(i) || values.isNullAt(i)) {
        throw new InvalidSampleException(
            "A row has "
                + (keys.isNullAt(i)
                    ? "an attribute whose key is null"
                    : "the attribute \"" + keys.getString(i) + "\" with the value null")
                + ". Leave such attributes out of the map.");
      }
      attributes.put(keys.getString(i).toString(), values.getString(i).toString());
    }
    return attributes;
  }
}
