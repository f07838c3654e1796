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
package dev.lakestream.flink.table.arrow;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.unsafe.UnsafeAllocationManager;

/** Off-heap memory for one call. */
final class Memory {

  private Memory() {}

  /**
   * Its factory is stated, since Arrow would search the class path for one, and a job may bring
   * another. Closing it fails if anything has not been released.
   */
  static BufferAllocator allocator() {
    return new RootAllocator(
        RootAllocator.configBuilder()
            .allocationManagerFactory(UnsafeAllocationManager.FACTORY)
            .build());
  }
}
