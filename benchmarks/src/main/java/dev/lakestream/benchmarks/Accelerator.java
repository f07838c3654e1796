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

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.ReaderSettings;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Stores;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * How busy accelerators are that take a step of 100 ms for each slice of 100 KB, once warm, when
 * the store's answers begin 20 ms late: computing time over all time, of the rank that waits most.
 * And what the reader says of a store that is too slow to deliver.
 */
final class Accelerator implements Benchmark {

  private static final int[] WORLDS = {8, 32, 128};
  private static final int PAYLOAD = 100_000;
  private static final Duration FIRST_BYTE = Duration.ofMillis(20);
  private static final Duration COMPUTE = Duration.ofMillis(100);
  private static final int WARM_UP_STEPS = 20;
  private static final int STEPS = 80;

  /** A store that one fetch at a time cannot be fast enough for. */
  private static final Duration STARVING = Duration.ofSeconds(2);

  @Override
  public String name() {
    return "accelerator";
  }

  @Override
  public String description() {
    return "how busy ranks are with a simulated step, the store answering 20 ms late";
  }

  private record Busy(double utilisation, String where) {}

  @Override
  public Result run(List<String> cases) throws Exception {
    Result result = new Result(name());
    Path directory = Files.createTempDirectory("lakestream-accelerator");
    try {
      for (int world : WORLDS) {
        if (!cases.isEmpty() && !cases.contains(String.valueOf(world))) {
          continue;
        }
        Path stream = directory.resolve("world-" + world);
        TrainingRun.write(
            stream.toString(), world, PAYLOAD, WARM_UP_STEPS + STEPS, StagingSettings.DEFAULT);
        Busy least = slowest(stream, world, FIRST_BYTE, ReaderSettings.DEFAULT);
        print(world + " ranks", least);
        result.with("utilisation_" + world, least.utilisation());
        if (world == WORLDS[0]) {
          ReaderSettings one = ReaderSettings.DEFAULT.withPrefetch(1, PAYLOAD);
          print("starved", slowest(stream, world, STARVING, one));
        }
        Directories.delete(stream);
      }
    } finally {
      Directories.delete(directory);
    }
    return result;
  }

  private static void print(String who, Busy busy) {
    System.out.printf(
        Locale.ROOT, "  %-9s busy %5.1f %%. %s%n", who, 100 * busy.utilisation(), busy.where());
  }

  private static Busy slowest(Path path, int world, Duration firstByte, ReaderSettings settings)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(world);
    try {
      List<Future<Busy>> running = new ArrayList<>();
      for (int i = 0; i < world; i++) {
        int rank = i;
        running.add(threads.submit(() -> train(path, world, rank, firstByte, settings)));
      }
      Busy least = new Busy(2, "");
      for (Future<Busy> one : running) {
        Busy busy = one.get();
        least = busy.utilisation() < least.utilisation() ? busy : least;
      }
      return least;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Busy train(
      Path path, int world, int rank, Duration firstByte, ReaderSettings settings)
      throws InterruptedException {
    int steps = firstByte.equals(STARVING) ? STEPS / 8 : STEPS;
    try (SlowReads store =
            new SlowReads(Stores.open(path.toString(), Map.of()), "#" + rank, firstByte);
        RankReader reader =
            RankReader.open(
                TrainingStream.open(store),
                new RankPosition(new Mesh(world, 1), rank, 0),
                settings)) {
      long waited = 0;
      long computed = 0;
      for (int step = 0; step < WARM_UP_STEPS + steps; step++) {
        long began = System.nanoTime();
        var unused = reader.next().slice();
        long here = System.nanoTime();
        Thread.sleep(COMPUTE.toMillis());
        if (step >= WARM_UP_STEPS) {
          waited += here - began;
          computed += System.nanoTime() - here;
        }
      }
      return new Busy((double) computed / (computed + waited), reader.whereTimeWent());
    }
  }
}
