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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** JSON over HTTP, as Flink's REST endpoints speak it. */
final class Http {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();
  private final String address;

  /**
   * @param address what paths are appended to: {@code http://127.0.0.1:8081}
   */
  Http(String address) {
    this.address = address;
  }

  JsonNode read(String path) {
    return send(request(path).GET().build());
  }

  JsonNode post(String path, Map<String, ?> body) {
    try {
      return send(
          request(path)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
              .build());
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete(String path) {
    send(request(path).DELETE().build());
  }

  /** Whether somebody answers there. */
  boolean answers(String path) {
    try {
      read(path);
      return true;
    } catch (HttpError | UncheckedIOException e) {
      return false;
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(address + path)).timeout(Duration.ofSeconds(60));
  }

  private JsonNode send(HttpRequest request) {
    try {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
      if (response.statusCode() / 100 != 2) {
        throw new HttpError(request, response);
      }
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new UncheckedIOException(request.method() + " " + request.uri(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted at " + request.uri(), e);
    }
  }

  /** An answer that is none; of the stack trace that Flink puts into it the causes are kept. */
  static final class HttpError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    private HttpError(HttpRequest request, HttpResponse<String> response) {
      super(
          request.method()
              + " "
              + request.uri()
              + ": "
              + response.statusCode()
              + " "
              + causes(response.body()));
      this.status = response.statusCode();
    }

    private static String causes(String body) {
      return body.replace("\\n", "\n")
          .replace("\\t", "\t")
          .lines()
          .filter(line -> !line.startsWith("\tat ") && !line.startsWith("\t... "))
          .collect(Collectors.joining("\n"));
    }

    int status() {
      return status;
    }
  }
}
