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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The input: files of JSON lines on the store, all different, made one after the other. A row with
 * the number {@code id} is always the same.
 */
final class RawFiles implements AutoCloseable {

  static final String COLUMNS = "id BIGINT NOT NULL, caption STRING, tags ARRAY<STRING>";

  private static final String TABLE =
      """
      CREATE TEMPORARY TABLE raw_files (%s) WITH ('connector'='filesystem', 'format'='json',
      'source.path.regex-pattern'='.*[.]json', 'path'='%s'%s)\
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What has gone wrong with text somewhere. */
  private static final List<String> CAPTIONS =
      List.of("", "plain", "\"quoted\", 'twice'\\", "two\nlines\ttabbed", "中文 🚀 é", "a,b;c|d");

  private final ObjectStore store;
  private final int rowsInFile;
  private int files;

  RawFiles(ObjectStore store, int rowsInFile) {
    this.store = store;
    this.rowsInFile = rowsInFile;
  }

  /**
   * The statement that makes them a temporary table. Its pattern keeps out the files that S3Proxy
   * lists while objects are being written, under names that go on behind the key.
   *
   * @param options more of them, each {@code 'key'='value'}
   */
  static String table(String path, String... options) {
    StringBuilder more = new StringBuilder();
    for (String option : options) {
      more.append(", ").append(option);
    }
    return TABLE.formatted(COLUMNS, path, more);
  }

  /** Adds so many files; each appears whole. */
  void add(int count) {
    for (int i = 0; i < count; i++) {
      StringBuilder lines = new StringBuilder();
      for (long id = rows(); id < rows() + rowsInFile; id++) {
        lines.append(row(id)).append('\n');
      }
      byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
      Futures.await(store.put("part-%05d.json".formatted(files), Payload.of(bytes)));
      files++;
    }
  }

  /** So many so far. */
  long rows() {
    return (long) files * rowsInFile;
  }

  /** All of them, as {@link #text} writes them, in the order of their ids. */
  List<String> expected() {
    List<String> all = new ArrayList<>();
    for (long id = 0; id < rows(); id++) {
      all.add(row(id));
    }
    return all;
  }

  private static String row(long id) {
    ObjectNode row = JSON.createObjectNode().put("id", id);
    int kind = (int) (id % (CAPTIONS.size() + 1));
    row.put("caption", kind == CAPTIONS.size() ? null : CAPTIONS.get(kind) + " " + id);
    if (id % 5 == 0) {
      row.putNull("tags");
    } else {
      ArrayNode tags = row.putArray("tags");
      for (int i = 1; i < id % 5; i++) {
        tags.add(i == 3 ? null : "tag " + id % 17 + "." + i);
      }
    }
    return text(row.get("id"), row.get("caption"), row.get("tags"));
  }

  /** One text for one row, whoever read it. */
  static String text(JsonNode id, JsonNode caption, JsonNode tags) {
    ObjectNode row = JSON.createObjectNode();
    row.set("id", id);
    row.set("caption", caption);
    row.set("tags", tags);
    try {
      return JSON.writeValueAsString(row);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
