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
package dev.lakestream.flink.sink;

import dev.lakestream.assembly.RemainderException;
import dev.lakestream.commit.FencedException;
import dev.lakestream.commit.MissingBundleException;
import dev.lakestream.commit.RewindException;
import dev.lakestream.manifest.StreamDroppedException;
import org.apache.flink.runtime.execution.SuppressRestartsException;

/** Which failures end the job for good. */
final class Failures {

  private Failures() {}

  /**
   * The same failure; wrapped so that Flink does not restart the job, if a restart would meet it
   * again and could only fight another job over the stream.
   */
  static RuntimeException forGood(RuntimeException failure) {
    boolean permanent =
        failure instanceof FencedException
            || failure instanceof RewindException
            || failure instanceof MissingBundleException
            || failure instanceof StreamDroppedException
            || failure instanceof StateMismatchException
            || failure instanceof RemainderException;
    return permanent ? new SuppressRestartsException(failure) : failure;
  }
}
