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

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;

/**
 * Which metadata a name in a filter stands for: filters name columns, which may be renamed from
 * what they read.
 */
record MetadataNames(Map<String, MetadataKey> byColumn, Set<String> physical) {

  /** Of the planner, before the key of a metadata column that it reads for itself. */
  private static final String PREFIX = "$metadata$";

  static MetadataNames of(ResolvedSchema schema) {
    Map<String, MetadataKey> byColumn = new HashMap<>();
    Set<String> physical = new HashSet<>();
    for (Column column : schema.getColumns()) {
      if (column.isPhysical()) {
        physical.add(column.getName());
      } else if (column instanceof Column.MetadataColumn metadata) {
        String key = metadata.getMetadataKey().orElse(metadata.getName());
        MetadataKey.find(key).ifPresent(found -> byColumn.put(metadata.getName(), found));
      }
    }
    return new MetadataNames(byColumn, physical);
  }

  Optional<MetadataKey> find(String name) {
    if (name.startsWith(PREFIX)) {
      return MetadataKey.find(name.substring(PREFIX.length()));
    }
    return physical.contains(name) ? Optional.empty() : Optional.ofNullable(byColumn.get(name));
  }
}
