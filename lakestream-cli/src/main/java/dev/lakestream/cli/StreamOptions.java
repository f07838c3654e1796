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

import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which stream: what every command takes. */
final class StreamOptions {

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /** A person waits: not the minutes that a job would wait. */
  private static final Map<String, String> DEFAULTS = Map.of("retry.max-elapsed", "20 s");

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PATH",
      description = "The stream: a directory, file:///… or s3://bucket/….")
  private String path;

  @Option(
      names = "--store-option",
      paramLabel = "KEY=VALUE",
      description = "An option of the store, such as s3.endpoint=…; may be repeated.")
  private Map<String, String> options = new LinkedHashMap<>();

  /** The caller closes it. */
  ObjectStore open() {
    Map<String, String> all = new HashMap<>(DEFAULTS);
    all.putAll(options);
    return Stores.open(address(), all);
  }

  private String address() {
    if (path.isBlank() || SCHEME.matcher(path).matches()) {
      return path;
    }
    try {
      return Path.of(path).toAbsolutePath().normalize().toString();
    } catch (InvalidPathException e) {
      throw new ParameterException(
          spec.commandLine(), "'" + path + "' is not a path: " + e.getReason(), e);
    }
  }
}
