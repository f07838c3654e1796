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

import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.FilesystemNio2BlobStore;
import software.amazon.awssdk.services.s3.S3AsyncClient;

/** An S3 server on a directory: in this JVM, or by {@link #main} as a process. */
public final class S3ProxyServer implements AutoCloseable {

  private static final String ACCESS_KEY = "local-identity";
  private static final String SECRET_KEY = "local-credential";

  private final S3Proxy server;

  /** Starts it on a free port of the loopback interface. */
  public S3ProxyServer(Path directory) throws Exception {
    server =
        S3Proxy.builder()
            .blobStore(new FilesystemNio2BlobStore(directory.toString()))
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, ACCESS_KEY, SECRET_KEY)
            .build();
    server.start();
  }

  /** The options with which {@link Stores#open} reaches it. */
  public Map<String, String> options() {
    return options(Map.of());
  }

  /** With more options, or others. */
  public Map<String, String> options(Map<String, String> more) {
    Map<String, String> options = new HashMap<>();
    options.put("s3.endpoint", "http://127.0.0.1:" + server.getPort());
    options.put("s3.access-key", ACCESS_KEY);
    options.put("s3.secret-key", SECRET_KEY);
    options.putAll(more);
    return options;
  }

  /** Makes a bucket. */
  public void createBucket(String name) {
    try (S3AsyncClient client = S3Settings.read(new StoreOptions(options())).client()) {
      client.createBucket(request -> request.bucket(name)).join();
    }
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }

  /**
   * Serves until its standard input ends, which it does when the process that started it is gone.
   *
   * @param args a directory, and a bucket to make in it; prints one line {@code key=value key=value
   *     …} of the options with which it is reached
   */
  public static void main(String[] args) throws Exception {
    S3ProxyServer server = new S3ProxyServer(Path.of(args[0]));
    server.createBucket(args[1]);
    System.out.println(
        server.options().entrySet().stream()
            .map(option -> option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining(" ")));
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }
}
