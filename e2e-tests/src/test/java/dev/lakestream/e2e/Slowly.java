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
package dev.lakestream.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * A function of SQL that returns its first argument, and takes its time for that as long as a file
 * is there: a task does not get further than it may, and still takes its checkpoints.
 */
public final class Slowly extends ScalarFunction {

  private static final long serialVersionUID = 1L;

  /** For one row; a busy machine takes longer, and never less. */
  static final int MILLIS = 200;

  public long eval(long value, String whileThere) throws InterruptedException {
    if (Files.exists(Path.of(whileThere))) {
      Thread.sleep(MILLIS);
    }
    return value;
  }
}
