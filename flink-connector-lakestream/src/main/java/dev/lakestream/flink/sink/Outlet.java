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
package dev.lakestream.flink.sink;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.StagedBundle;
import java.util.List;

/** Where a writer's batches go. Used in the task's thread. */
interface Outlet extends AutoCloseable {

  /**
   * Takes the batch; waits while the memory is used up. The mailbox goes on meanwhile, here and in
   * {@link #flush}.
   *
   * @param reserved bytes that the writer holds elsewhere
   */
  void add(GlobalBatch batch, long reserved) throws InterruptedException;

  /**
   * Everything that was added is in the store afterwards; returns what is left to be committed, in
   * the order of its steps.
   */
  List<StagedBundle> flush() throws InterruptedException;

  /** The state of this checkpoint was taken: what is added from now on comes after it. */
  void snapshotTaken(long checkpointId);

  /**
   * Steps that were added and are not in the stream yet. From any thread.
   *
   * @param publishedSequence the newest sequence (checkpoint id) that the sink has published, as
   *     far as is known
   */
  long unpublishedSteps(long publishedSequence);

  /** One past the newest step of the stream, as far as the outlet itself knows; 0: nothing. */
  long nextStep();

  /** Of all uploads that have ended. */
  long sentBytes();

  /** How long the last upload took. */
  long sendTimeMillis();

  /** Ends without flushing. */
  @Override
  void close();
}
