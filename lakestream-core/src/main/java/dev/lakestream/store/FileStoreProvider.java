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
 * {@code file:}. The option {@code file.sync} (default true) forces each object and its directory
 * to the disk before a write ends; without it a power cut may lose what was acknowledged.
 */
public final class FileStoreProvider implements StoreProvider {

  @Override
  public Set<String> schemes() {
    return Set.of("file");
  }

  @Override
  public ObjectStore open(StreamAddress address, Map<String, String> options) {
    return new FileStore(
        address, new StoreOptions(options).flag("file.sync", StoreDefaults.FILE_SYNC));
  }
}
