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
package dev.lakestream.retention;

import dev.lakestream.retention.Finding.Check;

/** Counts findings and hands them on, one at a time. Thread-safe. */
final class Findings {

  private final VerifyListener listener;
  private long errors;
  private long notes;

  Findings(VerifyListener listener) {
    this.listener = listener;
  }

  void error(Check check, String object, String message) {
    add(Finding.error(check, object, message));
  }

  void note(Check check, String object, String message) {
    add(Finding.note(check, object, message));
  }

  private synchronized void add(Finding finding) {
    if (finding.severity() == Finding.Severity.ERROR) {
      errors++;
    } else {
      notes++;
    }
    listener.found(finding);
  }

  synchronized void progress(Check check, long done, long total) {
    listener.progress(check, done, total);
  }

  synchronized long errors() {
    return errors;
  }

  synchronized long notes() {
    return notes;
  }
}
