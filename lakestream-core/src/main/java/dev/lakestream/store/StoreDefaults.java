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

import java.time.Duration;

/** What the options of a store are when they are not set; for its code, and for documentation. */
public final class StoreDefaults {

  public static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);
  public static final int MAX_CONNECTIONS = 64;
  public static final long MULTIPART_THRESHOLD = 16 << 20;
  public static final long MULTIPART_PART_SIZE = 16 << 20;
  public static final Duration RETRY_MAX_ELAPSED = Duration.ofMinutes(3);
  public static final Duration RETRY_INITIAL_BACKOFF = Duration.ofMillis(100);
  public static final Duration RETRY_MAX_BACKOFF = Duration.ofSeconds(10);
  public static final boolean FILE_SYNC = true;

  private StoreDefaults() {}
}
