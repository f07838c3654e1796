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

import dev.lakestream.commit.Claim;
import dev.lakestream.commit.Publisher;
import dev.lakestream.manifest.TrainingStream;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this submission the owner of its producer when it starts.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The aggregator does it, and so does a committer that restores committables, because Flink
 *       opens the two in any order; the second one finds it done.
 *   <li>The owner id is the same for all restarts of a submission and belongs to no other. So a
 *       restart takes nothing over and fences nobody: what an attempt that was given up may still
 *       publish is a checkpoint of this lineage, which the sequence lets in once, whoever comes
 *       first.
 *   <li>A restored state names its stream, producer and lineage, and the submission that took its
 *       checkpoint. A state of another stream or producer is refused. One that the stream has gone
 *       past is refused or begins a new lineage, as {@code sink.on-rewind} says.
 *   <li>The commit of the takeover may be lost or its reply unknown, as any other: it is repeated
 *       until the manifest says who the owner is. Nothing is published before.
 * </ul>
 */
final class Takeover {

  private static final Logger LOG = LoggerFactory.getLogger(Takeover.class);

  private final SinkConfig config;
  private final String jobName;
  private final TrainingStream stream;

  Takeover(SinkConfig config, String jobName, TrainingStream stream) {
    this.config = config;
    this.jobName = jobName;
    this.stream = stream;
  }

  /** A start without state. */
  ProducerState fresh(Publisher publisher, boolean batch) {
    return take(publisher, config.ownProducerId(), batch ? new Claim.Batch() : new Claim.Fresh());
  }

  /** A start from the checkpoint that holds {@code state}. */
  ProducerState restored(Publisher publisher, ProducerState state, long checkpointId) {
    check(state);
    return take(
        publisher,
        state.producerId(),
        new Claim.Restored(state.lineage(), state.owner(), checkpointId));
  }

  ProducerState start(
      Publisher publisher,
      Optional<ProducerState> state,
      OptionalLong checkpointId,
      boolean batch) {
    return state.isPresent() && checkpointId.isPresent()
        ? restored(publisher, state.get(), checkpointId.getAsLong())
        : fresh(publisher, batch);
  }

  /** Refuses state of another stream, or of another producer than the one that was stated. */
  void check(ProducerState state) {
    if (!state.streamId().equals(stream.id())) {
      throw new StateMismatchException(
          "The restored state belongs to stream "
              + state.streamId()
              + ", and the sink writes to "
              + stream
              + ". Write to the stream that the state belongs to, or start without it.");
    }
    config
        .statedProducerId()
        .filter(stated -> !stated.equals(state.producerId()))
        .ifPresent(
            stated -> {
              throw new StateMismatchException(
                  "The restored state was written as producer \""
                      + state.producerId()
                      + "\", and sink.producer-id is \""
                      + stated
                      + "\". Leave the option out or set it to the restored id; to write as another"
                      + " producer, start without the state.");
            });
  }

  private ProducerState take(Publisher publisher, String producerId, Claim.Start start) {
    Publisher.Takeover taken =
        publisher.takeOver(
            new Claim(producerId, config.owner(), jobName, start), config.onRewind());
    LOG.info(
        "Producer \"{}\" of {} belongs to this job (owner {}, lineage {}{}) as of version {}",
        producerId,
        stream,
        config.owner(),
        taken.lineage().id(),
        taken.rewound() ? ", rewound" : "",
        taken.version());
    return new ProducerState(stream.id(), producerId, taken.lineage().id(), config.owner());
  }
}
