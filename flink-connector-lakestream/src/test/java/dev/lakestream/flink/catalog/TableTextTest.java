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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.flink.sink.LakestreamSinkOptions;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import dev.lakestream.flink.table.LakestreamTableOptions;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableTextTest {

  /** Field fault: a secret of a format, or of another connector, lies in the store for all. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "s3.access-key",
        "s3.secret-key",
        "s3.session-token",
        "fs.s3a.access.key",
        "fs.s3a.secret.key",
        "fs.azure.account.key.account.blob.core.windows.net",
        "avro-confluent.basic-auth.user-info",
        "avro-confluent.basic-auth.credentials-source",
        "avro-confluent.bearer-auth.token",
        "avro-confluent.ssl.keystore.password",
        "avro-confluent.properties.schema.registry.basic.auth.user.info",
        "properties.sasl.jaas.config",
        "debezium-avro-confluent.basic-auth.user-info",
        "x.api-key",
        "x.apiKey",
        "x.private_key",
        "x.ssl.key.passphrase",
        "rest.http-headers"
      })
  void aSecretIsNotKept(String option) {
    ResolvedCatalogTable table =
        new ResolvedCatalogTable(
            CatalogTable.newBuilder()
                .schema(Schema.newBuilder().column("id", DataTypes.BIGINT()).build())
                .options(Map.of("mesh", "1x1", option, "user:hush"))
                .build(),
            ResolvedSchema.of(Column.physical("id", DataTypes.BIGINT())));
    assertThat(TableText.of(table).toString()).contains("1x1").doesNotContain("hush");
    assertThat(DatabaseText.of(new CatalogDatabaseImpl(Map.of(option, "hush"), "")))
        .doesNotContain("hush");
  }

  @Test
  void whatIsNoSecretIsKept() {
    assertThat(
            Stream.of(
                    LakestreamTableOptions.all(),
                    LakestreamSinkOptions.all(),
                    LakestreamSourceOptions.all())
                .flatMap(options -> options.stream())
                .map(ConfigOption::key)
                .filter(TableText::isSecret))
        .isEmpty();
    assertThat(
            Stream.of("json.map-null-key.mode", "csv.field-delimiter", "raw.charset", "s3.endpoint")
                .filter(TableText::isSecret))
        .isEmpty();
  }
}
