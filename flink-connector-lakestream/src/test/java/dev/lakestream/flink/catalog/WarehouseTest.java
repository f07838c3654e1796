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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.table.StoreSettings;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStores;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Stores;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WarehouseTest {

  private final String name = UUID.randomUUID().toString();
  private final FaultyStore store = MemoryStores.makeFaulty(name);
  private Warehouse warehouse;

  @BeforeEach
  void open() {
    warehouse = new Warehouse("mem://" + name + "/w", StoreSettings.NONE);
    warehouse.createDatabase("db", "");
  }

  @AfterEach
  void close() {
    warehouse.close();
    MemoryStores.remove(name);
  }

  private void createTable(ObjectPath table) {
    try (ObjectStore opened = Stores.open(warehouse.addressOf(table), Map.of())) {
      TrainingStream.openOrCreate(opened, StreamInfo.create(new Mesh(1, 1), SliceFormats.RECORDS));
    }
  }

  private void put(String key) {
    Futures.await(store.put(key, Payload.of(new byte[1])));
  }

  /** Field fault B47: a name that needs escaping is taken literally, in every call. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "a+b",
        "a%b",
        "a%20b",
        "a#b",
        "a?b=c&d",
        "a:b",
        "a~b",
        "a'b\"c`",
        "C:\\set 1",
        "a.b",
        "_tmp",
        "数据",
        "emoji-\uD83D\uDE80"
      })
  void aNameThatNeedsEscapingIsTheSameInEveryCall(String strange) {
    warehouse.createDatabase(strange, "properties");
    ObjectPath table = new ObjectPath(strange, strange);
    createTable(table);
    createTable(new ObjectPath(strange, "other"));

    assertThat(warehouse.databases()).containsExactlyInAnyOrder("db", strange);
    assertThat(warehouse.databaseProperties(strange)).contains("properties");
    assertThat(warehouse.tables(strange)).containsExactlyInAnyOrder(strange, "other");
    assertThat(warehouse.ask(table, TrainingStream::toString)).isPresent();

    warehouse.dropTable(table);
    assertThat(warehouse.tables(strange)).containsExactly("other");
    assertThat(warehouse.ask(table, TrainingStream::toString)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", ".database", "a/b", "/", "t$batches", "a\nb", "a\u0000"})
  void aNameThatCannotBeAKeyIsRefused(String impossible) {
    assertThatThrownBy(() -> warehouse.createDatabase(impossible, ""))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("cannot be the name");
  }

  /** Field fault B48: other people's objects, and the folders that some tools put beside them. */
  @Test
  void foreignObjectsAreNeitherDatabasesNorTables() {
    ObjectPath table = new ObjectPath("db", "t");
    createTable(table);
    put("w/README.md");
    put("w/.Trash/x");
    put("w/a$b/x");
    put("w/db/_SUCCESS");
    put("w/db/folder/stream.bak");
    put("w/db/.hidden/stream");
    put("w/db/t$x/stream");
    for (String folder :
        new String[] {
          "w/db/", "w/db/folder/", "w/db/t/", "w//x", "w/db//x", "w/db/a\nb/x", "w/db/t/data//x"
        }) {
      store.addNeighbour(folder, 0);
    }

    assertThat(warehouse.databases()).containsExactly("db");
    assertThat(warehouse.tables("db")).containsExactly("t");
    warehouse.dropTable(table);
    assertThat(warehouse.tables("db")).isEmpty();
    assertThat(warehouse.ask(table, TrainingStream::toString)).isEmpty();
  }

  /** Field fault B48: what lies in a table is not paged through to find the next one. */
  @Test
  void tablesOfManyObjectsAreListedByOneRequestEachAndDroppedWhole() {
    ObjectPath table = new ObjectPath("db", "many");
    createTable(table);
    createTable(new ObjectPath("db", "many-more"));
    createTable(new ObjectPath("db", "man"));
    for (int i = 0; i < 2_500; i++) {
      put("w/db/many/data/" + i);
    }
    store.log().clear();
    assertThat(warehouse.tables("db")).containsExactly("man", "many-more", "many");
    assertThat(store.log().count(Op.LIST, "w/")).isLessThan(8);

    warehouse.dropTable(table);
    assertThat(warehouse.tables("db")).containsExactly("man", "many-more");
    assertThat(Futures.await(store.list("w/db/many/", "", 10)).objects())
        .singleElement()
        .satisfies(left -> assertThat(left.key()).endsWith(StreamKeys.manifest(1)));
  }

  @Test
  void whatStaysOfDroppedTablesMakesNoDatabase() {
    ObjectPath first = new ObjectPath("made-by-jobs", "t");
    ObjectPath second = new ObjectPath("made-by-jobs", "u");
    createTable(first);
    createTable(second);
    warehouse.dropTable(first);
    assertThat(warehouse.databases()).containsExactly("db", "made-by-jobs");
    assertThat(warehouse.tables("made-by-jobs")).containsExactly("u");
    warehouse.dropTable(second);
    assertThat(warehouse.databases()).containsExactly("db");
    assertThat(warehouse.hasDatabase("made-by-jobs")).isFalse();
  }

  /** Field fault: a drop dies, and the table is created again as if nothing had happened. */
  @Test
  void anInterruptedDropIsRepeatedBeforeTheTableIsCreatedAgain() throws Exception {
    ObjectPath path = new ObjectPath("db", "t");
    LakestreamCatalog catalog =
        new LakestreamCatalog("lake", "db", "mem://" + name + "/w", StoreSettings.NONE);
    catalog.open();
    catalog.createTable(path, table(), false);
    UUID id = warehouse.ask(path, TrainingStream::id).orElseThrow();
    store.on(Op.DELETE).times(1).answer(Answer.denied());
    assertThatThrownBy(() -> catalog.dropTable(path, false)).isInstanceOf(StoreException.class);

    assertThat(catalog.tableExists(path)).isTrue();
    assertThatThrownBy(() -> warehouse.ask(path, stream -> stream.log().newest()))
        .isInstanceOf(StreamDroppedException.class);
    assertThatThrownBy(() -> catalog.createTable(path, table(), true))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("DROP TABLE it once more");
    assertThatThrownBy(() -> catalog.createTable(path, table(), false))
        .isInstanceOf(TableAlreadyExistException.class)
        .cause()
        .hasMessageContaining("DROP TABLE it once more");

    catalog.dropTable(path, false);
    catalog.createTable(path, table(), false);
    assertThat(warehouse.ask(path, stream -> stream.log().newest().streamId()))
        .isPresent()
        .get()
        .isNotEqualTo(id);
    catalog.close();
  }

  private static ResolvedCatalogTable table() {
    return new ResolvedCatalogTable(
        CatalogTable.newBuilder()
            .schema(Schema.newBuilder().column("id", DataTypes.BIGINT()).build())
            .options(Map.of("mesh", "1x1"))
            .build(),
        ResolvedSchema.of(Column.physical("id", DataTypes.BIGINT())));
  }
}
