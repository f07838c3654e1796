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

import dev.lakestream.store.StoreDefaults;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
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
          key("s3.path-style-access")
              .booleanType()
              .noDefaultValue()
              .withDescription(
                  "Whether the bucket is part of the path. Unset: if there is an endpoint."),
          text("s3.region", "Unset: that of the environment; with an endpoint, 'us-east-1'."),
          text("s3.access-key", "Unset: the credential chain of the AWS SDK."),
          text(
              "s3.secret-key",
              "Belongs to 's3.access-key'. Never printed and never stored in the stream."),
          text("s3.session-token", "Of temporary credentials."),
          text(
              "s3.sse.type",
              "Encryption at rest: 'AES256', 'aws:kms' or 'aws:kms:dsse'. Unset: what the bucket"
                  + " says."),
          text("s3.sse.kms-key-id", "For 'aws:kms'."),
          key("s3.request-timeout")
              .durationType()
              .defaultValue(StoreDefaults.REQUEST_TIMEOUT)
              .withDescription("For one request."),
          key("s3.max-connections")
              .intType()
              .defaultValue(StoreDefaults.MAX_CONNECTIONS)
              .withDescription("At once, for each table and task."),
          key("s3.checksums")
              .enumType(StoreChecksums.class)
              .defaultValue(StoreChecksums.WHEN_SUPPORTED)
              .withDescription("Of uploads."),
          key("s3.multipart.threshold")
              .memoryType()
              .defaultValue(new MemorySize(StoreDefaults.MULTIPART_THRESHOLD))
              .withDescription("Larger objects go up in parts."),
          key("s3.multipart.part-size")
              .memoryType()
              .defaultValue(new MemorySize(StoreDefaults.MULTIPART_PART_SIZE))
              .withDescription("Of each part but the last: from 5 mb to 5 gb."),
          key("retry.max-elapsed")
              .durationType()
              .defaultValue(StoreDefaults.RETRY_MAX_ELAPSED)
              .withDescription(
                  "So long a request is tried again before it fails. While a query is planned: 5 s"
                      + " unless set."),
          key("retry.initial-backoff")
              .durationType()
              .defaultValue(StoreDefaults.RETRY_INITIAL_BACKOFF)
              .withDescription("Before the first repetition, at most."),
          key("retry.max-backoff")
              .durationType()
              .defaultValue(StoreDefaults.RETRY_MAX_BACKOFF)
              .withDescription("The backoff doubles up to this."),
          key("file.sync")
              .booleanType()
              .defaultValue(StoreDefaults.FILE_SYNC)
              .withDescription("For 'file:': whether what was written is forced to the disk."));

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
    Map<String, String> found = inherited(session);
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

  /** What was set for all file systems: any of it may be meant for others. */
  static Map<String, String> inherited(ReadableConfig session) {
    Map<String, String> found = new TreeMap<>(session.toMap());
    found.keySet().removeIf(name -> SHARED_PREFIXES.stream().noneMatch(name::startsWith));
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
