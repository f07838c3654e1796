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

import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
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

/**
 * The objects behind a catalog: {@code <database>/.database} says that there is a database, and
 * {@code <database>/<table>/} is a stream. The store is the only truth; nothing is remembered here.
 */
final class Warehouse implements AutoCloseable {

  static final String DATABASE_MARKER = ".database";

  /** Sorts after every key below a name. */
  private static final String LAST = "\uDBFF\uDFFF";

  private static final int PAGE = 1000;

  private final String address;
  private final Map<String, String> options;
  private final ObjectStore store;

  Warehouse(String address, Map<String, String> options) {
    this.address = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    this.options = options;
    this.store = Stores.open(address, options);
  }

  /** May hold secrets. */
  Map<String, String> storeOptions() {
    return options;
  }

  String addressOf(ObjectPath table) {
    return address + "/" + table.getDatabaseName() + "/" + table.getObjectName();
  }

  boolean hasDatabase(String name) {
    return !Futures.await(store.list(requireName(name) + "/", "", 1)).objects().isEmpty();
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
    return children("");
  }

  List<String> tables(String database) {
    List<String> names = children(requireName(database) + "/");
    names.removeIf(name -> !exists(database + "/" + name + "/" + StreamKeys.STREAM));
    return names;
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
      hasDatabase(table.getDatabaseName()); // fails if it is the warehouse itself that is gone
      return Optional.empty();
    }
  }

  /**
   * Removes everything of the table. The {@code stream} object goes last: a drop that was
   * interrupted leaves a table that can be dropped again, never a prefix on which a new stream
   * would find old manifests. Folder markers, and what else no call of ours can name, stay.
   */
  void dropTable(ObjectPath table) {
    String prefix =
        requireName(table.getDatabaseName()) + "/" + requireName(table.getObjectName()) + "/";
    String last = "";
    boolean more = true;
    while (more) {
      Listing page = Futures.await(store.list(prefix, last, PAGE));
      var deletes =
          page.objects().stream()
              .map(Listing.Entry::key)
              .filter(key -> !key.equals(prefix + StreamKeys.STREAM))
              .filter(key -> !key.endsWith("/") && !key.contains("//"))
              .map(store::delete)
              .toList();
      deletes.forEach(Futures::await);
      more = page.truncated() && !page.objects().isEmpty();
      last = more ? page.objects().get(page.objects().size() - 1).key() : last;
    }
    Futures.await(store.delete(prefix + StreamKeys.STREAM));
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
