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
package dev.lakestream.flink.catalog;

import static org.apache.flink.configuration.ConfigOptions.key;

import java.util.List;
import org.apache.flink.configuration.ConfigOption;

/**
 * The options of a catalog. Those of the store, such as {@code s3.endpoint}, are passed on to it
 * and to all tables.
 */
public final class LakestreamCatalogOptions {

  public static final ConfigOption<String> WAREHOUSE =
      key("warehouse")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "Required. Where the databases are: 's3://bucket/prefix' or 'file:///directory'. Table t of"
                  + " database d is the stream at 'warehouse/d/t'.");

  public static final ConfigOption<String> DEFAULT_DATABASE =
      key("default-database")
          .stringType()
          .defaultValue("default")
          .withDescription("The database in use until another is chosen; it always exists.");

  private LakestreamCatalogOptions() {}

  /** All of them, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return List.of(WAREHOUSE, DEFAULT_DATABASE);
  }
}
