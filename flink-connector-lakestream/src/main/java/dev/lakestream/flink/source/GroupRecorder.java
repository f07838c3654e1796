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
package dev.lakestream.flink.source;

import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.GroupClaim;
import dev.lakestream.retention.GroupTakenException;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.base.source.hybrid.HybridSource;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the position of the source as that of its consumer group, so that reclamation respects
 * it.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>What is recorded is the oldest step that a job restored from a completed checkpoint may ask
 *       for; of a job without one, where it started. So it is recorded when the checkpoint is
 *       complete, never before.
 *   <li>A record that fails leaves an older one there, which holds history longer and harms
 *       nothing; the next checkpoint records again.
 *   <li>The name is that of sources. Where a training group has it, the job fails and nothing is
 *       recorded ({@link GroupClaim}, which also says what a race can do); a source that only
 *       starts where a training group stands records nothing at all, and says so.
 *   <li>One job at a time uses the name. Of two, the one whose checkpoint was completed last is
 *       recorded, so that history may go which the slower one still needs: it then fails, naming
 *       both steps ({@link PositionReclaimedException}), and never skips them in silence.
 * </ul>
 */
final class GroupRecorder {

  private static final Logger LOG = LoggerFactory.getLogger(GroupRecorder.class);

  private final TrainingStream stream;
  private final Optional<String> group;
  private final Optional<GroupClaim> claim;
  private final TreeMap<Long, Watermark> byCheckpoint = new TreeMap<>();

  private GroupRecorder(TrainingStream stream, Optional<String> group) {
    this.stream = stream;
    this.group = group;
    this.claim = group.map(name -> new GroupClaim(stream, name, Watermark.Kind.FLINK_SOURCE));
  }

  /**
   * @throws GroupTakenException if the group is that of a training job, and the source is to do
   *     more than to start there
   * @throws SuppressRestartsException if the source is part of a hybrid one, and has a group
   */
  static GroupRecorder open(
      TrainingStream stream, SourceConfig config, SplitEnumeratorContext<?> context) {
    if (config.group().isPresent()) {
      requireWholeSource(stream, context);
    }
    GroupRecorder recorder = new GroupRecorder(stream, config.group());
    Optional<Watermark> stranger = recorder.claim.flatMap(GroupClaim::stranger);
    if (stranger.isEmpty()) {
      return recorder;
    }
    if (config.startup().kind() != StartupMode.Kind.GROUP) {
      throw new GroupTakenException(stream, Watermark.Kind.FLINK_SOURCE, stranger.get());
    }
    LOG.warn(
        "Group \"{}\" of {} is that of a training job: the source starts there, and records"
            + " nothing under its name. What it has still to read is held back only as long as the"
            + " training job needs it, or a tag, or another group: with 'scan.consumer-group' = a"
            + " name of its own, and another 'scan.startup.mode', it holds it back itself",
        config.group().orElseThrow(),
        stream);
    return new GroupRecorder(stream, Optional.empty());
  }

  /** A hybrid source lets readers restore splits without a word of it to the enumerator. */
  private static void requireWholeSource(TrainingStream stream, SplitEnumeratorContext<?> context) {
    if (context.getClass().getName().startsWith(HybridSource.class.getPackageName() + ".")) {
      throw new SuppressRestartsException(
          new IllegalStateException(
              "'scan.consumer-group' cannot be used for "
                  + stream
                  + " in a HybridSource: after a recovery it does not tell which steps its readers"
                  + " still hold, and the group would let go of them. Leave the option out, and"
                  + " hold the history that is to be read by a tag."));
    }
  }

  /**
   * Protects a job that has no checkpoint yet, from the first moment on. Never moves a group
   * forward: that only a completed checkpoint may do.
   */
  void start(StreamPosition position) {
    if (claim.isEmpty()) {
      return;
    }
    OptionalLong before = new Watermarks(stream).step(group.orElseThrow());
    if (before.isEmpty() || before.getAsLong() > position.nextStep()) {
      claim.get().record(watermark(position.nextStep(), position));
    }
  }

  /** The checkpoint holds everything below {@code step} as emitted. */
  void snapshot(long checkpointId, long step, StreamPosition position) {
    if (claim.isPresent()) {
      byCheckpoint.put(checkpointId, watermark(step, position));
    }
  }

  /**
   * Records it on another thread: a slow store does not hold up the enumerator.
   *
   * @param failed told, on the enumerator's thread, that the name has been taken; its result ends
   *     the job
   */
  void complete(
      long checkpointId,
      SplitEnumeratorContext<?> context,
      UnaryOperator<RuntimeException> failed) {
    Watermark reached = byCheckpoint.remove(checkpointId);
    byCheckpoint.headMap(checkpointId).clear();
    if (reached == null) {
      return;
    }
    context.callAsync(
        () -> {
          claim.orElseThrow().record(reached);
          return reached;
        },
        (written, failure) -> {
          if (failure instanceof GroupTakenException taken) {
            throw failed.apply(taken);
          }
          if (failure != null) {
            LOG.warn(
                "Group \"{}\" of {} could not record step {}; the next checkpoint will",
                reached.group(),
                stream,
                reached.step(),
                failure);
          }
        });
  }

  private Watermark watermark(long step, StreamPosition position) {
    return new Watermark(
        stream.id(),
        group.orElseThrow(),
        0,
        1,
        0,
        position.version(),
        step,
        Optional.empty(),
        stream.time().currentTimeMillis(),
        Watermark.Kind.FLINK_SOURCE);
  }
}
