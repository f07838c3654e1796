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
import org.apache.flink.table.catalog.ObjectPath;

/**
 * Finds the stream that a procedure is called for, by {@code 'table'} or {@code 'database.table'}.
 */
final class Tables {

  private final String defaultDatabase;
  private final StreamOpener opener;

  Tables(String defaultDatabase, StreamOpener opener) {
    this.defaultDatabase = defaultDatabase;
    this.opener = opener;
  }

  <T> T with(String table, Function<TrainingStream, T> work) {
    int dot = table.indexOf('.');
    ObjectPath path =
        dot < 0
            ? new ObjectPath(defaultDatabase, table)
            : new ObjectPath(table.substring(0, dot), table.substring(dot + 1));
    TrainingStream stream = opener.open(path);
    try {
      return work.apply(stream);
    } finally {
      stream.store().close();
    }
  }
}
