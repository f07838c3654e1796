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
package dev.lakestream.flink.sink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;

/** Answers every request with one error of S3. */
final class RefusingS3Server implements AutoCloseable {

  private final HttpServer server;
  private final int status;
  private final String code;

  RefusingS3Server(int status, String code) throws IOException {
    this.status = status;
    this.code = code;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::refuse);
    server.start();
  }

  private void refuse(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      byte[] body = ("<Error><Code>" + code + "</Code></Error>").getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/xml");
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** For a store that is to ask it. */
  Map<String, String> options() {
    return Map.of(
        "s3.endpoint", "http://127.0.0.1:" + server.getAddress().getPort(),
        "s3.access-key", "AK",
        "s3.secret-key", "SK");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
