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
package dev.lakestream.examples.quickstart;

/**
 * Consecutive tokens of one document as a rank found them in its slice.
 *
 * @param step of the stream
 * @param rank that read it
 * @param sequence in the slice
 * @param sampleId of the document
 * @param firstPosition in the document of the first of these tokens
 */
record Delivery(long step, int rank, int sequence, long sampleId, int firstPosition, int[] tokens) {

  /** For messages. */
  String where() {
    return "step " + step + ", rank " + rank + ", sequence " + sequence;
  }
}
