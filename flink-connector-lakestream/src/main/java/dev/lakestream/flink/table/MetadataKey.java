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

import dev.lakestream.flink.source.SliceMetadata;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;

/** What a row can tell beside its columns. */
enum MetadataKey {
  STEP("step", DataTypes.BIGINT().notNull(), "of the global batch that the row is in") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.step();
    }
  },
  DP_RANK(
      "dp_rank", DataTypes.INT().notNull(), "the data-parallel replica d whose slice it is in") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.dp();
    }
  },
  CP_RANK("cp_rank", DataTypes.INT().notNull(), "the context-parallel chunk c it is in") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.cp();
    }
  },
  RECORD_INDEX("record_index", DataTypes.INT().notNull(), "its position in the slice, from 0") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return (int) index;
    }
  },
  MANIFEST_VERSION(
      "manifest_version", DataTypes.BIGINT().notNull(), "of the manifest that published it") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.manifestVersion();
    }
  },
  PRODUCER_ID("producer_id", DataTypes.STRING().notNull(), "who published it") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return StringData.fromString(slice.producerId());
    }
  },
  SEQUENCE(
      "sequence",
      DataTypes.BIGINT().notNull(),
      "under which of the producer's sequences; from Flink, the checkpoint id") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.sequence();
    }
  },
  PUBLISHED_AT("published_at", DataTypes.TIMESTAMP_LTZ(3).nullable(), "when it became visible") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.publishedAt() == 0 ? null : TimestampData.fromEpochMillis(slice.publishedAt());
    }
  },
  BUNDLE("bundle", DataTypes.STRING().notNull(), "the object that holds it, within the stream") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return StringData.fromString(slice.bundle());
    }
  },
  EVENT_TIME(
      "event_time",
      DataTypes.TIMESTAMP_LTZ(3).nullable(),
      "read: the earliest event time of any row of the batch, NULL if one has none; written: of the row") {
    @Override
    Object of(SliceMetadata slice, long index) {
      Long least = slice.eventTimeMin();
      return least == null ? null : TimestampData.fromEpochMillis(least);
    }
  },
  REDACTED_RECORDS(
      "redacted_records",
      DataTypes.BIGINT().notNull(),
      "how many records were taken out of the step after it was published") {
    @Override
    Object of(SliceMetadata slice, long index) {
      return slice.redactedRecords();
    }
  },
  ATTRIBUTES(
      "attributes",
      DataTypes.MAP(DataTypes.STRING().notNull(), DataTypes.STRING().notNull()).notNull(),
      "of the batch; written: the rows of a batch say the same in each key, or leave it out") {
    @Override
    Object of(SliceMetadata slice, long index) {
      Map<StringData, StringData> map = new HashMap<>();
      slice
          .attributes()
          .forEach(
              (key, value) -> map.put(StringData.fromString(key), StringData.fromString(value)));
      return new GenericMapData(map);
    }
  };

  private final String key;
  private final DataType type;
  private final String description;

  MetadataKey(String key, DataType type, String description) {
    this.key = key;
    this.type = type;
    this.description = description;
  }

  /** Whether it differs between the slices of a step. */
  boolean ofSlice() {
    return this == DP_RANK || this == CP_RANK || this == RECORD_INDEX;
  }

  /** As in {@code METADATA FROM '…'}. */
  String key() {
    return key;
  }

  DataType type() {
    return type;
  }

  /** For the documentation. */
  String description() {
    return description;
  }

  /**
   * In Flink's internal data structures.
   *
   * @param index of the row in the slice
   */
  abstract Object of(SliceMetadata slice, long index);

  static Optional<MetadataKey> find(String key) {
    for (MetadataKey one : values()) {
      if (one.key.equals(key)) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /** All of them, with their types. */
  static Map<String, DataType> types() {
    Map<String, DataType> types = new LinkedHashMap<>();
    for (MetadataKey one : values()) {
      types.put(one.key, one.type);
    }
    return types;
  }
}
