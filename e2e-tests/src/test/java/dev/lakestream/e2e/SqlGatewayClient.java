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

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/** Speaks to Flink's SQL gateway. */
final class SqlGatewayClient {

  private static final String API = "/v3";

  private final Http http;

  SqlGatewayClient(String address) {
    this.http = new Http(address);
  }

  boolean isUp() {
    return http.answers(API + "/info");
  }

  Session open(Map<String, String> properties) {
    JsonNode answer = http.post(API + "/sessions", Map.of("properties", properties));
    return new Session(API + "/sessions/" + answer.required("sessionHandle").asText());
  }

  /**
   * What a statement has answered.
   *
   * @param jobId of the job that runs it; empty: none
   * @param rows in the order in which they came; values by the names of the columns
   */
  record Result(String jobId, List<Map<String, JsonNode>> rows) {

    /** The only value of the only row. */
    JsonNode only() {
      if (rows.size() != 1 || rows.get(0).size() != 1) {
        throw new AssertionError("Not one value: " + rows);
      }
      return rows.get(0).values().iterator().next();
    }
  }

  /** A session: its catalogs, temporary tables and settings. */
  final class Session implements AutoCloseable {

    private final String path;

    private Session(String path) {
      this.path = path;
    }

    void set(String option, String value) {
      execute("SET '" + option + "' = '" + value + "'");
    }

    /**
     * Runs a statement and waits for all that it answers: a query until it has ended, an INSERT
     * until its job has been submitted.
     */
    Result execute(String statement) {
      String operation =
          http.post(path + "/statements", Map.of("statement", statement))
              .required("operationHandle")
              .asText();
      Pages pages = new Pages(path + "/operations/" + operation + "/result/0?rowFormat=JSON");
      Awaitility.await(statement)
          .atMost(FlinkCluster.PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(FlinkCluster.POLL)
          .until(pages::readAllThatIsThere);
      return new Result(pages.jobId, pages.rows);
    }

    @Override
    public void close() {
      http.delete(path);
    }
  }

  /** The answer to a statement, page by page. */
  private final class Pages {

    private final List<Map<String, JsonNode>> rows = new ArrayList<>();
    private String next;
    private String jobId = "";

    private Pages(String first) {
      this.next = first;
    }

    /** Whether that was the end. A query that has no more rows yet answers with an empty page. */
    private boolean readAllThatIsThere() {
      while (!next.isEmpty()) {
        JsonNode page = http.read(next);
        next = page.path("nextResultUri").asText("");
        jobId = page.path("jobID").asText(jobId);
        if (page.path("results").path("data").isEmpty()) {
          break;
        }
        add(page.path("results"));
      }
      return next.isEmpty();
    }

    private void add(JsonNode results) {
      JsonNode columns = results.path("columns");
      for (JsonNode row : results.path("data")) {
        Map<String, JsonNode> values = new TreeMap<>();
        for (int i = 0; i < columns.size(); i++) {
          values.put(columns.get(i).path("name").asText(), row.path("fields").get(i));
        }
        rows.add(values);
      }
    }
  }
}
