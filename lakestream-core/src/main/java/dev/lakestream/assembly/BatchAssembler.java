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

import dev.lakestream.batch.GlobalBatch;
import java.util.List;
import java.util.Optional;

/**
 * Makes global batches of samples. Single-threaded; one instance for each writer.
 *
 * <p>What is certain: every sample (every token of it) that was accepted is in exactly one batch,
 * or in {@link #pending()}, or was dropped by {@link RemainderPolicy#DROP}. Nothing is padded
 * before the end of the input.
 *
 * <p>Checkpoints: store {@link #pending()} (see {@link SampleCodec}); to restore, {@link #add} what
 * was stored to new instances, any sample to any instance, before new input.
 *
 * <p>Determinism: the batches are a function of the configuration and of the sequence of {@code
 * add} calls on a new instance, whenever {@code poll} is called. After a restore the samples are
 * grouped into other batches than without one; which samples there are does not change.
 */
public interface BatchAssembler {

  /**
   * Accepts a sample. Call {@link #poll} until it is empty afterwards: memory is bounded only then.
   *
   * @throws InvalidSampleException if it cannot be part of a batch; it was not accepted
   * @throws IllegalStateException after {@link #finish}
   */
  void add(Sample sample);

  /**
   * Whether {@link #add} would take the sample, as far as that depends on the sample alone; changes
   * nothing. Whoever holds samples back asks first, so that a bad one never gets into a checkpoint.
   *
   * @throws InvalidSampleException if it cannot be part of a batch
   */
  void check(Sample sample);

  /** The next complete batch. */
  Optional<GlobalBatch> poll();

  /**
   * Everything that was accepted and is in no batch yet, in the order of acceptance as far as
   * nothing was shuffled. Documents that were cut come as their pieces.
   */
  List<Sample> pending();

  /** What the content of {@link #pending()} takes in memory. */
  long pendingBytes();

  /**
   * At the end of the input: all batches that are left, the remainder as {@code policy} says.
   * Afterwards nothing is pending.
   *
   * @throws RemainderException if there is a remainder and the policy is {@link
   *     RemainderPolicy#FAIL}; everything is pending as before
   */
  List<GlobalBatch> finish(RemainderPolicy policy);
}
