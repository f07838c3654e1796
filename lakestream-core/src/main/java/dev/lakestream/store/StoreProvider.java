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
 * Opens stores of some address schemes; found with {@link java.util.ServiceLoader}, so that others
 * can be added.
 */
public interface StoreProvider {

  /** Lower case, for instance {@code s3}. */
  Set<String> schemes();

  /**
   * Opens the bare store: without retries, which {@link Stores} puts around it.
   *
   * @param options by full name, for instance {@code s3.endpoint}; unknown ones are ignored
   */
  ObjectStore open(StreamAddress address, Map<String, String> options);
}
