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

import com.google.protobuf.ByteString;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.flink.RequestMetrics;
import dev.lakestream.flink.StreamTarget;
import dev.lakestream.store.StoreMetrics;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes each checkpoint by one manifest.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Flink calls {@link #commit} after a checkpoint is complete, in ascending order, and again
 *       on restore with all committables of the restored checkpoint, published ones too. The
 *       sequence of the lineage in the base of the commit tells which those are.
 *   <li>A committable that cannot be published must never be dropped: every failure is thrown, so
 *       that the checkpoint keeps it. Retries happen inside, with pacing, because Flink's own come
 *       without a pause.
 *   <li>A fenced, rewound or incomplete job would fail the same way after each restart, and ends
 *       for good.
 * </ul>
 */
final class StreamCommitter implements Committer<CheckpointCommittable> {

  private static final Logger LOG = LoggerFactory.getLogger(StreamCommitter.class);

  private final SinkConfig config;
  private final String jobName;
  private final OptionalLong restoredCheckpoint;
  private final CommitMetrics metrics = new CommitMetrics();
  private final StoreMetrics requests;

  /** Opened by the first commit: only one of the parallel committers ever has one. */
  private StreamTarget.Connection connection;

  private Publisher publisher;
  private boolean tookOver;

  StreamCommitter(SinkConfig config, CommitterInitContext context) {
    this.config = config;
    this.jobName = context.getJobInfo().getJobName();
    this.restoredCheckpoint = context.getRestoredCheckpointId();
    if (context.getTaskInfo().getIndexOfThisSubtask() == 0) {
      CommitterMetrics.register(context.metricGroup(), metrics);
      requests = RequestMetrics.register(context.metricGroup());
    } else {
      requests = new StoreMetrics();
    }
  }

  @Override
  public void commit(Collection<CommitRequest<CheckpointCommittable>> requests) {
    for (CommitRequest<CheckpointCommittable> request : requests) {
      try {
        if (!publish(request.getCommittable())) {
          request.signalAlreadyCommitted();
        }
      } catch (RuntimeException e) {
        throw Failures.forGood(e);
      }
    }
  }

  /** Returns whether this call published it. */
  private boolean publish(CheckpointCommittable committable) {
    open();
    ProducerState producer = committable.producer();
    Takeover takeover = new Takeover(config, jobName, connection.stream());
    takeover.check(producer);
    boolean restored =
        restoredCheckpoint.isPresent()
            && committable.checkpointId() <= restoredCheckpoint.getAsLong();
    if (restored && !tookOver) {
      takeover.restored(publisher, producer, restoredCheckpoint.getAsLong());
      tookOver = true;
    }
    Publisher.Published published =
        publisher.publish(
            new Publication(
                producer.producerId(),
                config.owner(),
                producer.lineage(),
                producer.owner(),
                committable.checkpointId(),
                committable.bundles(),
                ByteString.EMPTY,
                restored));
    LOG.info(
        "Checkpoint {} of producer \"{}\" {} version {} of {}; the next step is {}",
        committable.checkpointId(),
        producer.producerId(),
        published.published() ? "is published as" : "was published before",
        published.version(),
        connection.stream(),
        published.nextStep());
    return published.published();
  }

  private void open() {
    if (connection == null) {
      connection = config.target().connect(requests);
      publisher =
          new Publisher(connection.stream(), config.commits(), new SplittableRandom(), metrics);
    }
  }

  @Override
  public void close() {
    if (connection != null) {
      connection.close();
    }
  }
}
