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
package dev.lakestream.e2e;

import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The SQL jar in a cluster of processes, with checkpoints and streams on one S3 store whose
 * settings stand in the cluster's configuration only. All classes that register this share one
 * cluster, which ends with the last of them.
 */
final class ClusterOnS3 implements BeforeAllCallback {

  /** Of two TaskManagers together. */
  static final int SLOTS = 4;

  private Running running;

  @Override
  public void beforeAll(ExtensionContext context) {
    Environment.requireSqlJar();
    running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(ClusterOnS3.class))
            .getOrComputeIfAbsent("running", unused -> Running.start(), Running.class);
  }

  FlinkCluster cluster() {
    return running.cluster;
  }

  S3Process s3() {
    return running.s3;
  }

  /**
   * A session whose catalog is {@code lake}, in a warehouse on the store; nothing about the store
   * is in it.
   */
  SqlGatewayClient.Session session() {
    SqlGatewayClient.Session session = cluster().gateway().open(Map.of());
    session.execute(
        "CREATE CATALOG lake WITH ('type'='lakestream', 'warehouse'='"
            + s3().address("warehouse")
            + "')");
    session.execute("USE CATALOG lake");
    session.set("execution.checkpointing.interval", "1 s");
    return session;
  }

  /** Opens the stream of a table from outside of the cluster. */
  <T> T look(String table, Function<TrainingStream, T> at) {
    try (ObjectStore store = s3().open("warehouse/default/" + table)) {
      return at.apply(TrainingStream.open(store));
    }
  }

  Manifest newest(String table) {
    return look(table, stream -> stream.log().newest());
  }

  /** Waits for something that the job does; it must not end in failure before. */
  void await(String job, String what, Callable<Boolean> condition) {
    cluster()
        .await(
            what + " (job " + job + ")",
            () -> {
              String state = cluster().rest().state(job);
              if (state.equals("FAILED") || state.equals("CANCELED")) {
                throw new AssertionError(
                    job + " is " + state + ": " + cluster().rest().failures(job));
              }
              return condition.call();
            });
  }

  /** Until the job has ended well, and another one can have all slots. */
  void awaitEnd(String job) {
    await(job, "the end", () -> cluster().rest().state(job).equals("FINISHED"));
    cluster().await("free slots", () -> cluster().rest().freeSlots() >= SLOTS);
  }

  private record Running(S3Process s3, FlinkCluster cluster) implements AutoCloseable {

    static Running start() {
      Path directory = Environment.freshDirectory("cluster");
      try {
        S3Process s3 = S3Process.start(directory.resolve("s3"));
        try {
          Path home = directory.resolve("flink");
          return new Running(
              s3, FlinkCluster.start(home, Environment.SQL_JAR, settings(s3), SLOTS / 2));
        } catch (Throwable e) {
          s3.close();
          throw e;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Map<String, String> settings(S3Process s3) {
      Map<String, String> settings = new TreeMap<>(s3.options());
      settings.put("s3.path.style.access", "true");
      settings.put("execution.checkpointing.dir", s3.address("checkpoints"));
      settings.put("execution.checkpointing.savepoint-dir", s3.address("savepoints"));
      // Flink 2.3.0: a failover that aborts a checkpoint can leave the next one waiting for events
      // that went to the old attempt, with "Trying to open gateway for unseen checkpoint" logged.
      settings.put("execution.checkpointing.timeout", "20 s");
      settings.put("execution.checkpointing.tolerable-failed-checkpoints", "100");
      settings.put("restart-strategy.type", "fixed-delay");
      settings.put("restart-strategy.fixed-delay.attempts", "100");
      settings.put("restart-strategy.fixed-delay.delay", "500 ms");
      settings.put("heartbeat.interval", "1 s");
      settings.put("heartbeat.timeout", "8 s");
      settings.put("taskmanager.numberOfTaskSlots", "2");
      settings.put("taskmanager.load-balance.mode", "SLOTS");
      return settings;
    }

    @Override
    public void close() {
      cluster.close();
      s3.close();
    }
  }
}
