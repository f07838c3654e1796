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
package dev.lakestream.benchmarks;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.retention.LagSettings;
import dev.lakestream.retention.RankRecorder;
import dev.lakestream.retention.ReclaimLoop;
import dev.lakestream.retention.ReclaimSettings;
import dev.lakestream.retention.Reclaimer;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What a stream holds on disk while it is written, trained from and reclaimed at once ([L] Figure
 * 9): a producer with {@code max_lag}, a rank that reads every step and checkpoints each n of them,
 * keeping k, and a reclaimer. The files below the stream's directory are listed all the time,
 * whatever they are; the most that was ever there is compared with the bound {@code n * kept +
 * max_lag + one bundle}, in batches, and with all that was written.
 */
final class Retention implements Benchmark {

  private static final Mesh MESH = new Mesh(4, 1);
  private static final int SLICE = 100_000;
  private static final long STEPS = 2_000;
  private static final int EVERY = 50;
  private static final int KEPT = 2;
  private static final long MAX_LAG = 150;
  private static final int BUNDLE = 8;

  /** A training step takes so long. */
  private static final Duration TRAINING = Duration.ofMillis(10);

  private static final Duration RECLAIM = Duration.ofMillis(100);
  private static final Duration SAMPLE = Duration.ofMillis(20);

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public String description() {
    return "storage held under reclamation, against its bound and against all that was written";
  }

  @Override
  public Result run(List<String> cases) throws Exception {
    Path directory = Files.createTempDirectory("lakestream-retention");
    try (ObjectStore store =
        Stores.open(directory.resolve("stream").toString(), Map.of("file.sync", "false"))) {
      return measure(store, directory.resolve("stream"));
    } finally {
      Directories.delete(directory);
    }
  }

  private Result measure(ObjectStore store, Path files) throws Exception {
    TrainingStream stream = TrainingStream.openOrCreate(store, StreamInfo.create(MESH, "raw"));
    AtomicReference<Exception> failure = new AtomicReference<>();
    RankRecorder recorder = new RankRecorder(stream, "train", 0, 1, 0, KEPT);
    recorder.register(new Cursor(stream.id(), 0, 0, MESH));
    Thread writing = thread("producer", failure, () -> write(stream));
    Thread training = thread("rank", failure, () -> train(stream, recorder));
    List<Long> held = new ArrayList<>();
    try (ReclaimLoop reclaiming = reclaimer(store, failure)) {
      writing.start();
      training.start();
      while (training.isAlive() && failure.get() == null) {
        held.add(bytesBelow(files));
        Thread.sleep(SAMPLE.toMillis());
      }
    }
    if (failure.get() != null) {
      throw failure.get();
    }
    writing.join();
    long batch = (long) SLICE * MESH.slices();
    long most = held.stream().mapToLong(bytes -> bytes).max().orElseThrow();
    long bound = (long) EVERY * KEPT + MAX_LAG + BUNDLE;
    for (int part = 1; part <= 10; part++) {
      System.out.printf(
          "  after %3d %% of the time: %,6.1f batches held%n",
          part * 10, (double) held.get(held.size() * part / 10 - 1) / batch);
    }
    System.out.printf(
        "  most: %.1f batches in %,d listings; bound: %d (n = %d, kept = %d, max_lag = %d, bundle = %d)%n",
        (double) most / batch, held.size(), bound, EVERY, KEPT, MAX_LAG, BUNDLE);
    return new Result(name())
        .with("held_over_bound", (double) most / batch / bound)
        .with("saved", 1 - (double) most / (STEPS * batch))
        .with("most_batches", (double) most / batch)
        .with("bound_batches", bound)
        .with("written_batches", STEPS);
  }

  private static void write(TrainingStream stream) {
    byte[] bytes = new byte[SLICE];
    new SplittableRandom(7).nextBytes(bytes);
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < MESH.slices(); i++) {
      slices.add(Slice.of(bytes, 1));
    }
    GlobalBatch batch = GlobalBatch.of(MESH, slices);
    LagSettings lag = new LagSettings(MAX_LAG, Duration.ofMillis(50), Duration.ofMinutes(2));
    try (Producer producer =
        Producer.builder(stream, "retention")
            .staging(new StagingSettings(BUNDLE, 64 << 20, 128 << 20, 2, Compression.NONE))
            .linger(Duration.ofMillis(50))
            .maxLag(lag)
            .build()) {
      for (long step = 0; step < STEPS; step++) {
        producer.append(batch, ByteString.EMPTY);
      }
    }
  }

  private static void train(TrainingStream stream, RankRecorder recorder) throws Exception {
    try (RankReader reader = RankReader.open(stream, new RankPosition(MESH, 0, 0))) {
      for (long trained = 1; trained <= STEPS; trained++) {
        RankStep step = reader.next();
        Thread.sleep(TRAINING.toMillis());
        if (trained % EVERY == 0) {
          recorder.record(reader.cursorAfter(step));
        }
      }
    }
  }

  private static ReclaimLoop reclaimer(ObjectStore store, AtomicReference<Exception> failure) {
    ReclaimSettings settings = ReclaimSettings.DEFAULT.manifestAge(Duration.ofSeconds(5));
    return new ReclaimLoop(
            Reclaimer.of(TrainingStream.open(store), settings),
            RECLAIM,
            result -> {},
            e -> failure.compareAndSet(null, e))
        .start();
  }

  /** A task that may fail. */
  private interface Task {
    void run() throws Exception;
  }

  private static Thread thread(String name, AtomicReference<Exception> failure, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (Exception e) {
                failure.compareAndSet(null, e);
              }
            },
            name);
    thread.setDaemon(true);
    return thread;
  }

  /** All files, those that are being written included; what goes meanwhile counts no more. */
  private static long bytesBelow(Path directory) throws IOException {
    long[] bytes = {0};
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes[0] += attributes.size();
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return bytes[0];
  }
}
