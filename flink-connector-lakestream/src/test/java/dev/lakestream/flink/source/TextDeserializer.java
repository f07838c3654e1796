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
package dev.lakestream.flink.source;

import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.Types;

/** Records as text. */
final class TextDeserializer {

  private TextDeserializer() {}

  static SliceDeserializer<String> create() {
    return SliceDeserializer.records(
        found -> new String(found.bytes(), StandardCharsets.UTF_8), Types.STRING);
  }
}
