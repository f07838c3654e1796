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
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the position of the source as that of its consumer group, so that reclamation respects
 * it.
 *
 * <p>What is recorded is the oldest step that a job restored from a completed checkpoint may ask
 * for. A record that fails leaves an older one there, which holds history longer and harms nothing;
 * the next checkpoint records again.
 */
final class GroupRecorder {

  private static final Logger LOG = LoggerFactory.getLogger(GroupRecorder.class);

  private final TrainingStream stream;
  private final Optional<String> group;
  private final TreeMap<Long, Watermark> byCheckpoint = new TreeMap<>();

  GroupRecorder(TrainingStream stream, Optional<String> group) {
    this.stream = stream;
    this.group = group;
  }

  /**
   * Protects a job that has no checkpoint yet, from the first moment on. Never moves a group
   * forward: that only a completed checkpoint may do.
   */
  void start(StreamPosition position) {
    if (group.isEmpty()) {
      return;
    }
    Watermarks watermarks = new Watermarks(stream);
    OptionalLong before = watermarks.step(group.get());
    if (before.isEmpty() || before.getAsLong() > position.nextStep()) {
      watermarks.write(watermark(position.nextStep(), position));
    }
  }

  /** The checkpoint holds everything below {@code step} as emitted. */
  void snapshot(long checkpointId, long step, StreamPosition position) {
    if (group.isPresent()) {
      byCheckpoint.put(checkpointId, watermark(step, position));
    }
  }

  /** Records it on another thread: a slow store does not hold up the enumerator. */
  void complete(long checkpointId, SplitEnumeratorContext<?> context) {
    Watermark reached = byCheckpoint.remove(checkpointId);
    byCheckpoint.headMap(checkpointId).clear();
    if (reached == null) {
      return;
    }
    context.callAsync(
        () -> {
          new Watermarks(stream).write(reached);
          return reached;
        },
        (written, failure) -> {
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
