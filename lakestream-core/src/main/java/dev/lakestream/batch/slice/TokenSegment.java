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
package dev.lakestream.batch.slice;

import java.nio.IntBuffer;

/**
 * Consecutive tokens of one document inside a sequence.
 *
 * @param sampleId of the document, unsigned
 * @param firstPosition of the first of these tokens inside its document; not 0 where a document
 *     goes on that began in another sequence
 * @param tokens 1 or more; read from position to limit without moving it
 */
public record TokenSegment(long sampleId, int firstPosition, IntBuffer tokens) {

  int length() {
    return tokens.remaining();
  }

  /** Whether this goes on exactly where {@code before} ends, so that no document starts between. */
  boolean continues(TokenSegment before) {
    return sampleId == before.sampleId && firstPosition == before.firstPosition + before.length();
  }
}
