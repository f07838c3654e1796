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
package dev.lakestream.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that gives the answers that no S3 server at hand gives when asked. */
final class ScriptedS3Server implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreads.named("scripted-s3"));
  private final Queue<Reply> script = new ConcurrentLinkedQueue<>();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();

  /** Gives one answer. */
  @FunctionalInterface
  interface Reply {
    void to(HttpExchange exchange) throws IOException;
  }

  /** A request as it came. */
  record Seen(String method, String uri, Map<String, String> headers, int bodyLength) {}

  ScriptedS3Server() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** Adds an answer; requests beyond the script are answered 500. */
  ScriptedS3Server then(Reply reply) {
    script.add(reply);
    return this;
  }

  ScriptedS3Server thenError(int status, String code) {
    return then(
        exchange -> {
          byte[] body =
              ("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>scripted</Message></Error>")
                  .formatted(code)
                  .getBytes(UTF_8);
          send(exchange, status, Map.of("Content-Type", "application/xml"), body, body.length);
        });
  }

  /** Sends the first {@code sent} bytes of the body, having announced all of it. */
  ScriptedS3Server thenBody(int status, Map<String, String> headers, byte[] body, int sent) {
    return then(exchange -> send(exchange, status, headers, body, sent));
  }

  private static void send(
      HttpExchange exchange, int status, Map<String, String> headers, byte[] body, int sent)
      throws IOException {
    headers.forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body, 0, sent);
    exchange.getResponseBody().flush();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new HashMap<>();
      exchange
          .getRequestHeaders()
          .forEach(
              (name, values) ->
                  headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
      int length = exchange.getRequestBody().readAllBytes().length;
      seen.add(
          new Seen(
              exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, length));
      Reply reply = script.poll();
      if (reply == null) {
        exchange.sendResponseHeaders(500, -1);
      } else {
        reply.to(exchange);
      }
    }
  }

  /** The requests in the order in which they came. */
  List<Seen> seen() {
    return seen;
  }

  Map<String, String> options() {
    return Map.of(
        "s3.endpoint", "http://127.0.0.1:" + server.getAddress().getPort(),
        "s3.access-key", "AK",
        "s3.secret-key", "SK",
        "s3.request-timeout", "5 s");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
