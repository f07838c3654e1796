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

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.procedures.Procedure;

/** The procedures of a catalog, by name. */
public final class Procedures {

  /** The database in which they are called: {@code CALL sys.verify('t')}. */
  public static final String DATABASE = "sys";

  private static final Map<String, Function<Tables, Procedure>> ALL =
      new TreeMap<>(
          Map.of(
              "takedown", TakedownProcedure::new,
              "reclaim", ReclaimProcedure::new,
              "set_watermark", SetWatermarkProcedure::new,
              "verify", VerifyProcedure::new,
              "tag", TagProcedure::new,
              "untag", UntagProcedure::new,
              "retire_producer", RetireProducerProcedure::new));

  private Procedures() {}

  public static List<String> names() {
    return List.copyOf(ALL.keySet());
  }

  /** The procedure at {@code sys.<name>}. */
  public static Optional<Procedure> find(
      ObjectPath path, String defaultDatabase, StreamOpener opener) {
    return path.getDatabaseName().equals(DATABASE)
        ? Optional.ofNullable(ALL.get(path.getObjectName()))
            .map(procedure -> procedure.apply(new Tables(defaultDatabase, opener)))
        : Optional.empty();
  }
}
