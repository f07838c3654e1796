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

import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.S3ProxyServer;
import dev.lakestream.store.Stores;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * An S3 server in a process of its own, over a directory, with one bucket. It ends when this
 * process does.
 */
final class S3Process implements AutoCloseable {

  private static final String BUCKET = "e2e";

  private final Process process;
  private final Map<String, String> options = new TreeMap<>();

  private S3Process(Process process) {
    this.process = process;
  }

  /**
   * @param directory empty or not there; the objects are in {@code objects}, the log beside it
   */
  static S3Process start(Path directory) throws IOException {
    Path objects = Files.createDirectories(directory.resolve("objects"));
    S3Process server =
        new S3Process(
            new ProcessBuilder(
                    ChildProcess.javaCommand(),
                    "-Xmx384m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "-cp",
                    System.getProperty("java.class.path"),
                    S3ProxyServer.class.getName(),
                    objects.toString(),
                    BUCKET)
                .redirectError(directory.resolve("s3.log").toFile())
                .start());
    server.readOptions();
    return server;
  }

  private void readOptions() throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null) {
      throw new IOException("The S3 server did not start; s3.log says why.");
    }
    for (String option : line.split(" ", -1)) {
      int at = option.indexOf('=');
      options.put(option.substring(0, at), option.substring(at + 1));
    }
  }

  /** With which a store reaches it: an endpoint, and keys. */
  Map<String, String> options() {
    return options;
  }

  /** {@code s3://bucket/key}. */
  String address(String key) {
    return "s3://" + BUCKET + "/" + key;
  }

  ObjectStore open(String key) {
    return Stores.open(address(key), options);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
