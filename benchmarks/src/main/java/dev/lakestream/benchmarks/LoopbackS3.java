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
package dev.lakestream.benchmarks;

import dev.lakestream.store.S3ProxyServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** An S3 server in a process of its own on the loopback interface, over a directory. */
final class LoopbackS3 implements AutoCloseable {

  static final String BUCKET = "bench";

  private final Process process;
  private final Map<String, String> options = new TreeMap<>();

  LoopbackS3(Path directory) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                S3ProxyServer.class.getName(),
                directory.toString(),
                BUCKET)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null) {
      throw new IOException("The S3 server did not start.");
    }
    for (String option : line.split(" ", -1)) {
      int at = option.indexOf('=');
      options.put(option.substring(0, at), option.substring(at + 1));
    }
  }

  /** With which a store reaches it. */
  Map<String, String> options() {
    return options;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
