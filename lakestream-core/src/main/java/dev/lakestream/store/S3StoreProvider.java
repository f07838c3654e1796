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

import java.util.Map;
import java.util.Set;

/**
 * {@code s3:}. Options, which are also found under Flink's and Hadoop's names for them:
 *
 * <ul>
 *   <li>{@code s3.endpoint}, {@code s3.path-style-access} (default: true with an endpoint), {@code
 *       s3.region}
 *   <li>{@code s3.access-key}, {@code s3.secret-key}, {@code s3.session-token}; without them the
 *       AWS SDK's default credential chain
 *   <li>{@code s3.sse.type} = {@code AES256} or {@code aws:kms}, {@code s3.sse.kms-key-id}
 *   <li>{@code s3.request-timeout} (default 60 s), {@code s3.max-connections} (default 64)
 *   <li>{@code s3.checksums} = {@code when-supported} (default: a CRC32C with each upload) or
 *       {@code when-required}, for servers that refuse it
 *   <li>{@code s3.multipart.threshold}, {@code s3.multipart.part-size} (default 16 MiB each)
 * </ul>
 */
public final class S3StoreProvider implements StoreProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("s3");
  }

  @Override
  public ObjectStore open(StreamAddress address, Map<String, String> options) {
    S3Settings settings = S3Settings.read(new StoreOptions(options));
    return new S3Store(address, settings, settings.client());
  }
}
