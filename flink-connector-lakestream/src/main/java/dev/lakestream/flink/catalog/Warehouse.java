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

import dev.lakestream.flink.table.StoreSettings;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.StreamDrop;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Stores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects behind a catalog: {@code <database>/.database} says that there is a database, and
 * {@code <database>/<table>/} is a stream. The store is the only truth; nothing is remembered here.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>A table is there while its {@code stream} object is, which is created once and deleted
 *       last. Of two who create a table at once one does; a drop that was interrupted leaves a
 *       table that can be dropped again and not be used ({@link StreamDrop}).
 *   <li>Of a dropped table one small manifest stays, which keeps jobs that still run from
 *       publishing. So what lies below a name says nothing: a database is there while its marker
 *       is, or a table of it, as where a job created the stream.
 *   <li>Other people's objects may lie anywhere below the address. What could not be a name here is
 *       passed over, and what is deleted lies in a stream that is being dropped.
 *   <li>Whoever deletes objects by other means while a job writes, or a table is being created,
 *       takes these guards away.
 * </ul>
 */
final class Warehouse implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Warehouse.class);

  static final String DATABASE_MARKER = ".database";

  /** Sorts after every key below a name. */
  private static final String LAST = "\uDBFF\uDFFF";

  private final String address;
  private final StoreSettings settings;
  private final Map<String, String> options;
  private final ObjectStore store;

  Warehouse(String address, StoreSettings settings) {
    this.address = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    this.settings = settings;
    this.options = settings.merged();
    this.store = Stores.open(address, options);
  }

  /** May hold secrets. */
  Map<String, String> storeOptions() {
    return options;
  }

  StoreSettings settings() {
    return settings;
  }

  String addressOf(ObjectPath table) {
    return address + "/" + table.getDatabaseName() + "/" + table.getObjectName();
  }

  boolean hasDatabase(String name) {
    return exists(requireName(name) + "/" + DATABASE_MARKER)
        || children(name + "/").stream().anyMatch(table -> isTable(name, table));
  }

  /** Returns whether this call created it. */
  boolean createDatabase(String name, String properties) {
    String key = requireName(name) + "/" + DATABASE_MARKER;
    return switch (Futures.await(
        store.createIfAbsent(key, Payload.of(properties.getBytes(StandardCharsets.UTF_8))))) {
      case CREATED -> true;
      case EXISTS -> false;
      case TRY_AGAIN ->
          throw new CatalogException(
              "The store could not decide on database " + name + "; try again.");
    };
  }

  Optional<String> databaseProperties(String name) {
    String key = requireName(name) + "/" + DATABASE_MARKER;
    try {
      long length = Futures.await(store.length(key));
      var bytes = Futures.await(store.read(key, 0, Math.toIntExact(length)));
      return Optional.of(StandardCharsets.UTF_8.decode(bytes).toString());
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        return Optional.empty();
      }
      throw e;
    }
  }

  void dropDatabase(String name) {
    Futures.await(store.delete(requireName(name) + "/" + DATABASE_MARKER));
  }

  List<String> databases() {
    List<String> names = children("");
    names.removeIf(name -> !hasDatabase(name));
    return names;
  }

  List<String> tables(String database) {
    List<String> names = children(requireName(database) + "/");
    names.removeIf(name -> !isTable(database, name));
    return names;
  }

  private boolean isTable(String database, String name) {
    return exists(database + "/" + name + "/" + StreamKeys.STREAM);
  }

  private boolean exists(String key) {
    try {
      Futures.await(store.length(key));
      return true;
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        return false;
      }
      throw e;
    }
  }

  /**
   * The names one level below, by one small listing each: what lies deeper is skipped, not listed.
   * What could not be a name here is somebody else's.
   */
  private List<String> children(String prefix) {
    List<String> names = new ArrayList<>();
    String after = "";
    while (true) {
      Listing page = Futures.await(store.list(prefix, after, 1));
      if (page.objects().isEmpty()) {
        return names;
      }
      String key = page.objects().get(0).key();
      int slash = key.indexOf('/', prefix.length());
      if (slash < 0) {
        after = key;
      } else {
        String name = key.substring(prefix.length(), slash);
        if (isName(name)) {
          names.add(name);
        }
        after = key.substring(0, slash + 1) + LAST;
      }
    }
  }

  /** Asks the stream of the table; empty if there is none. */
  <T> Optional<T> ask(ObjectPath table, Function<TrainingStream, T> question) {
    requireName(table.getDatabaseName());
    requireName(table.getObjectName());
    try (ObjectStore opened = Stores.open(addressOf(table), options)) {
      return Optional.of(question.apply(TrainingStream.open(opened)));
    } catch (StreamNotFoundException absent) {
      return Optional.empty();
    } catch (StoreException e) {
      if (e.fault() != Fault.NO_SUCH_STORE) {
        throw e;
      }
      Futures.await(store.list("", "", 1)); // fails if it is the warehouse itself that is gone
      return Optional.empty();
    }
  }

  /** Removes the table and all that is in it; no error if it is gone already. */
  void dropTable(ObjectPath table) {
    requireName(table.getDatabaseName());
    requireName(table.getObjectName());
    try (ObjectStore opened = Stores.open(addressOf(table), options)) {
      StreamDrop.run(TrainingStream.open(opened));
    } catch (StreamNotFoundException | StreamDroppedException gone) {
      LOG.info("Table {} is gone already", table.getFullName(), gone);
    }
  }

  /** Names become parts of keys: those that could not, or that mean something else, are refused. */
  static String requireName(String name) {
    if (!isName(name)) {
      throw new CatalogException(
          "\""
              + name
              + "\" cannot be the name of a database or table: it must not be empty, begin with a dot, or contain '/',"
              + " '$' or control characters.");
    }
    return name;
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && !name.startsWith(".")
        && name.indexOf('/') < 0
        && name.indexOf('$') < 0
        && name.chars().noneMatch(Character::isISOControl);
  }

  @Override
  public void close() {
    store.close();
  }
}
