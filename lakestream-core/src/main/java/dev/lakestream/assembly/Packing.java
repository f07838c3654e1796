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
package dev.lakestream.assembly;

/** How documents are put into sequences of fixed length. */
public enum Packing {
  /**
   * Documents that fit are never cut: each goes into the fullest open sequence that has room for
   * it. Longer ones are cut into whole sequences, and their tail is placed like a short document.
   * Some padding; attention sees whole documents. The default.
   */
  BEST_FIT,
  /**
   * Documents one after another, cut where a sequence is full. No padding before the end of the
   * input; about one document of each sequence is cut.
   */
  CONCATENATE
}
