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

import java.nio.ByteBuffer;

/**
 * Sees the bytes of a read while they arrive. What looks at them then finds them in the caches of
 * the processor; later, they have to be fetched from memory again, which takes several times as
 * long as most of what can be done to them.
 *
 * <p>Called by one thread at a time, which is one of the store: it must neither block nor throw.
 */
@FunctionalInterface
public interface ReadObserver {

  /**
   * The next bytes of the range.
   *
   * @param piece to be read from its position to its limit, and not to be kept or changed; moving
   *     its position changes nothing
   */
  void received(ByteBuffer piece);

  /**
   * What was read.
   *
   * @param bytes all of the range
   * @param observer has seen exactly these bytes, in their order
   */
  record Observed<O extends ReadObserver>(ByteBuffer bytes, O observer) {}
}
