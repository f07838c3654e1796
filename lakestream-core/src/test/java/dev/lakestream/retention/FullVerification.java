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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.manifest.TrainingStream;
import java.util.ArrayList;
import java.util.List;

/** Every invariant that can be seen in what is stored, every byte of it. */
final class FullVerification {

  private FullVerification() {}

  static void findsNoErrors(TrainingStream stream) {
    List<Finding> errors = new ArrayList<>();
    VerifyResult result =
        StreamVerifier.of(stream)
            .listener(
                new VerifyListener() {
                  @Override
                  public void found(Finding finding) {
                    if (finding.severity() == Finding.Severity.ERROR) {
                      errors.add(finding);
                    }
                  }
                })
            .verify();
    assertThat(errors).isEmpty();
    assertThat(result.isIntact()).isTrue();
  }
}
