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

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;

/**
 * How a catalog reaches its store: what it declares, of which every option must be known, and what
 * the session and the cluster set for all file systems, of which many concern others. Both may hold
 * secrets: never printed.
 *
 * @param declared in the catalog's {@code WITH}
 * @param inherited from the configuration that the catalog was created with
 */
public record StoreSettings(Map<String, String> declared, Map<String, String> inherited) {

  public static final StoreSettings NONE = new StoreSettings(Map.of(), Map.of());

  public StoreSettings {
    declared = Map.copyOf(declared);
    inherited = Map.copyOf(inherited);
  }

  /**
   * @throws org.apache.flink.table.api.ValidationException if one is declared that the store does
   *     not know
   */
  public static StoreSettings of(Map<String, String> with, ReadableConfig session) {
    Map<String, String> declared = new TreeMap<>(with);
    declared
        .keySet()
        .removeIf(name -> StoreTableOptions.PREFIXES.stream().noneMatch(name::startsWith));
    return new StoreSettings(declared, StoreTableOptions.inherited(session)).checked();
  }

  private StoreSettings checked() {
    merged();
    return this;
  }

  /** What a store is opened with. */
  public Map<String, String> merged() {
    return StoreTableOptions.of(declared, Configuration.fromMap(inherited));
  }

  @Override
  public String toString() {
    return "settings of a store";
  }
}
