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
package dev.lakestream.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** What a command line said and how it ended. */
record Run(int status, String out, String err, byte[] bytes) {

  static Run of(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status =
        Lakestream.run(new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), args);
    return new Run(status, out.toString(UTF_8), err.toString(UTF_8), out.toByteArray());
  }

  Run succeeded() {
    assertThat(err).isEmpty();
    assertThat(status).isZero();
    return this;
  }
}
