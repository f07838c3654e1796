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
package dev.lakestream.retention;

import dev.lakestream.LakestreamException;

/**
 * The group has gone on without this member: another process records as the same rank in a newer
 * generation, or the members of one generation do not agree on their number.
 */
public class SupersededException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  SupersededException(String message) {
    super(message);
  }
}
