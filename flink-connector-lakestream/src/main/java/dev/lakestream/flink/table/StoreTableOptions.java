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
package dev.lakestream.flink.table;

import static org.apache.flink.configuration.ConfigOptions.key;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * The options of the store, which a table passes on as they are. Where a table is silent the
 * session's configuration holds, and then the cluster's.
 */
public final class StoreTableOptions {

  /** Of Flink's and Hadoop's file systems; more of them may be set than a stream's store knows. */
  static final List<String> SHARED_PREFIXES = List.of("s3.", "s3a.", "fs.s3a.");

  public static final List<String> PREFIXES = List.of("s3.", "s3a.", "fs.s3a.", "retry.", "file.");

  private static final List<ConfigOption<?>> ALL =
      List.of(
          text("s3.endpoint", "Of a store other than AWS, such as 'https://minio:9000'."),
          text(
              "s3.path-style-access",
              "Whether the bucket is part of the path. Default: true if an endpoint is set."),
          text("s3.region", "Default: that of the environment."),
          text("s3.access-key", "Default: the credential chain of the AWS SDK."),
          text(
              "s3.secret-key",
              "Belongs to 's3.access-key'. Never printed and never stored in the stream."),
          text("s3.session-token", "Of temporary credentials."),
          text("s3.sse.type", "Encryption at rest: 'AES256', 'aws:kms' or 'aws:kms:dsse'."),
          text("s3.sse.kms-key-id", "For 'aws:kms'."),
          text("s3.request-timeout", "For one request. Default: 60 s."),
          text("s3.max-connections", "At once, for each table and task. Default: 64."),
          text(
              "s3.checksums",
              "'when-supported' (default) or 'when-required', for stores that refuse the SDK's."),
          text("s3.multipart.threshold", "Larger objects go up in parts. Default: 16 MiB."),
          text("s3.multipart.part-size", "Default: 16 MiB."),
          text("retry.max-elapsed", "So long a request is tried again before it fails."),
          text("retry.initial-backoff", "Before the first repetition."),
          text("retry.max-backoff", "The backoff doubles up to this."),
          text(
              "file.sync",
              "For 'file:': whether what was written is forced to the disk. Default: true."));

  private StoreTableOptions() {}

  private static ConfigOption<String> text(String name, String description) {
    return key(name).stringType().noDefaultValue().withDescription(description);
  }

  /** All that are known by name, in the order of the documentation. */
  public static List<ConfigOption<?>> all() {
    return ALL;
  }

  /**
   * What the store of a table is opened with.
   *
   * @param table the options of the table
   * @param session the configuration that the table is used with
   * @throws ValidationException if a table sets one that the store does not know
   */
  public static Map<String, String> of(Map<String, String> table, ReadableConfig session) {
    Map<String, String> found = new TreeMap<>();
    session
        .toMap()
        .forEach(
            (name, value) -> {
              if (SHARED_PREFIXES.stream().anyMatch(name::startsWith)) {
                found.put(name, value);
              }
            });
    table.forEach(
        (name, value) -> {
          if (PREFIXES.stream().anyMatch(name::startsWith)) {
            requireKnown(name);
            found.keySet().removeIf(other -> canonical(other).equals(canonical(name)));
            found.put(name, value);
          }
        });
    return found;
  }

  /** Hadoop's are many: they are not ours to know. */
  private static void requireKnown(String name) {
    boolean hadoop = name.startsWith("s3a.") || name.startsWith("fs.s3a.");
    if (!hadoop
        && ALL.stream().noneMatch(known -> canonical(known.key()).equals(canonical(name)))) {
      throw new ValidationException(
          "Unsupported option '"
              + name
              + "' of the store. Supported are: "
              + ALL.stream().map(ConfigOption::key).collect(Collectors.toCollection(TreeSet::new)));
    }
  }

  /** Flink and Hadoop write 's3.path.style.access' for 's3.path-style-access'. */
  private static String canonical(String name) {
    return name.replace('-', '.');
  }
}
