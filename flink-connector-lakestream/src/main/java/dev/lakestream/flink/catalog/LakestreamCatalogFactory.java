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

import dev.lakestream.LakestreamException;
import dev.lakestream.flink.table.StoreSettings;
import dev.lakestream.flink.table.StoreTableOptions;
import dev.lakestream.store.StreamAddress;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** {@code 'type' = 'lakestream'}. docs/catalog.md says what can be done with it. */
public final class LakestreamCatalogFactory implements CatalogFactory {

  @Override
  public String factoryIdentifier() {
    return "lakestream";
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(LakestreamCatalogOptions.WAREHOUSE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    Set<ConfigOption<?>> options = new HashSet<>(StoreTableOptions.all());
    options.add(LakestreamCatalogOptions.DEFAULT_DATABASE);
    return options;
  }

  @Override
  public Catalog createCatalog(Context context) {
    FactoryUtil.CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, context);
    helper.validateExcept(StoreTableOptions.PREFIXES.toArray(String[]::new));
    String warehouse = helper.getOptions().get(LakestreamCatalogOptions.WAREHOUSE);
    try {
      StreamAddress.parse(warehouse);
    } catch (LakestreamException e) {
      throw new ValidationException("Option 'warehouse': " + e.getMessage(), e);
    }
    return new LakestreamCatalog(
        context.getName(),
        helper.getOptions().get(LakestreamCatalogOptions.DEFAULT_DATABASE),
        warehouse,
        StoreSettings.of(context.getOptions(), context.getConfiguration()));
  }
}
