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

import java.util.Collection;

/** Puts pieces of documents into bins, and hands on each bin that it closes. */
interface Packer {

  void add(Bin.Piece document);

  /** The bins that are not closed; none of them is empty. */
  Collection<Bin> open();

  /** Closes all bins, the fullest first. */
  void closeAll();
}
