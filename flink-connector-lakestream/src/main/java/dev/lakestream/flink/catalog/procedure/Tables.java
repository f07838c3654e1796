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
package dev.lakestream.flink.catalog.procedure;

import dev.lakestream.manifest.TrainingStream;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Finds the stream that a procedure is called for, by {@code 'table'} or {@code 'database.table'}.
 * Names with dots stand in backquotes, as in SQL.
 */
final class Tables {

  private static final String NAME = "(`(?:[^`]|``)+`|[^.`]+)";
  private static final Pattern QUOTED = Pattern.compile(NAME + "(?:\\." + NAME + ")?");

  private final String defaultDatabase;
  private final StreamOpener opener;

  Tables(String defaultDatabase, StreamOpener opener) {
    this.defaultDatabase = defaultDatabase;
    this.opener = opener;
  }

  <T> T with(String table, Function<TrainingStream, T> work) {
    TrainingStream stream = opener.open(path(table, defaultDatabase));
    try {
      return work.apply(stream);
    } finally {
      stream.store().close();
    }
  }

  static ObjectPath path(String table, String defaultDatabase) {
    Matcher quoted = QUOTED.matcher(table);
    if (quoted.matches()) {
      String first = name(quoted.group(1));
      String second = quoted.group(2);
      return second == null
          ? new ObjectPath(defaultDatabase, first)
          : new ObjectPath(first, name(second));
    }
    int dot = table.indexOf('.');
    return dot < 0
        ? new ObjectPath(defaultDatabase, table)
        : new ObjectPath(table.substring(0, dot), table.substring(dot + 1));
  }

  private static String name(String spelled) {
    return spelled.startsWith("`")
        ? spelled.substring(1, spelled.length() - 1).replace("``", "`")
        : spelled;
  }
}
