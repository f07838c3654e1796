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
package dev.lakestream.batch.slice;

import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;

/** What both slice formats check in the same way. */
final class SliceChecks {

  private SliceChecks() {}

  static void checkVersion(int version, int supported, String what) {
    if (version < 1) {
      throw new CorruptObjectException(what + " states format version " + version + ".");
    }
    if (version > supported) {
      throw new UnsupportedVersionException(what, version, supported);
    }
  }

  static void requireRecord(int highest, int count, String what) {
    if (highest >= count) {
      throw new InvalidBatchException(
          what + " has " + count + " records: there is no record " + highest + ".");
    }
  }
}
