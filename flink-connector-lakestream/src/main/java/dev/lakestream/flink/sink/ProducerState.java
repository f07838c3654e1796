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

import java.util.UUID;

/**
 * The identity of a producer, as it goes through checkpoints. It comes from state and never from a
 * JobID, which changes when a savepoint is resubmitted and stays when it must not.
 *
 * @param streamId of the stream that it writes to
 * @param producerId its name there
 * @param lineage in which its checkpoint ids are ordered
 * @param owner the submission that took the checkpoint which holds this
 */
record ProducerState(UUID streamId, String producerId, UUID lineage, UUID owner) {}
