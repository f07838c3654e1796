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
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;

/** What a JobManager tells over REST. */
final class FlinkRest {

  private final Http http;

  FlinkRest(String address) {
    this.http = new Http(address);
  }

  boolean isUp() {
    return http.answers("/overview");
  }

  int taskManagers() {
    return http.read("/overview").path("taskmanagers").asInt();
  }

  int freeSlots() {
    return http.read("/overview").path("slots-available").asInt();
  }

  /** RUNNING, RESTARTING, FINISHED, FAILED, … */
  String state(String job) {
    return http.read("/jobs/" + job).path("state").asText();
  }

  /** Whether every task of the job runs. */
  boolean runsWhole(String job) {
    JsonNode answer = http.read("/jobs/" + job);
    if (!answer.path("state").asText().equals("RUNNING")) {
      return false;
    }
    for (JsonNode vertex : answer.path("vertices")) {
      if (!vertex.path("status").asText().equals("RUNNING")) {
        return false;
      }
    }
    return true;
  }

  int completedCheckpoints(String job) {
    return checkpoints(job, "completed");
  }

  /** So many times the job, or a part of it, has gone back to a checkpoint. */
  int restoredCheckpoints(String job) {
    return checkpoints(job, "restored");
  }

  private int checkpoints(String job, String count) {
    return http.read("/jobs/" + job + "/checkpoints").path("counts").path(count).asInt();
  }

  /** The resource ids of the TaskManagers that run a task of the job. */
  Set<String> taskManagersOf(String job) {
    Set<String> ids = new TreeSet<>();
    for (JsonNode vertex : http.read("/jobs/" + job).path("vertices")) {
      String path = "/jobs/" + job + "/vertices/" + vertex.path("id").asText() + "/taskmanagers";
      http.read(path)
          .path("taskmanagers")
          .forEach(manager -> ids.add(manager.path("taskmanager-id").asText()));
    }
    return ids;
  }

  /** Why the job failed, or has failed before; for messages. */
  String failures(String job) {
    var texts = new ArrayList<String>();
    http.read("/jobs/" + job + "/exceptions")
        .path("exceptionHistory")
        .path("entries")
        .forEach(entry -> texts.add(entry.path("stacktrace").asText()));
    return String.join("\n", texts);
  }
}
