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
package dev.lakestream.examples.quickstart;

import dev.lakestream.batch.Mesh;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts one process for each rank of the mesh, lets them read to the end, and collects what they
 * saw.
 */
record RankRun(Workspace workspace, Mesh mesh) {

  /**
   * What a rank read.
   *
   * @param bytes of its slices
   * @param sequences chunks of sequences, to be exact: one of each sequence of its replica
   * @param tokens without padding
   */
  record Summary(int rank, long steps, long bytes, long sequences, long tokens, long padding) {}

  /** Reads with all ranks at once. */
  void read(Screen.Bar progress) {
    List<JavaProcess> ranks = new ArrayList<>();
    List<Thread> listeners = new ArrayList<>();
    for (int rank = 0; rank < mesh.slices(); rank++) {
      JavaProcess process = start(rank);
      ranks.add(process);
      Thread listener =
          new Thread(() -> countLines(process.process(), progress), "progress of rank " + rank);
      listener.setDaemon(true);
      listener.start();
      listeners.add(listener);
    }
    ranks.forEach(JavaProcess::requireSuccess);
    for (Thread listener : listeners) {
      try {
        listener.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new QuickstartException("Interrupted while the ranks were reading.", e);
      }
    }
  }

  private JavaProcess start(int rank) {
    return JavaProcess.start(
        "rank-" + rank,
        Rank.class,
        List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of(workspace.address(), file(rank).toString()),
        Map.of("RANK", String.valueOf(rank), "WORLD_SIZE", String.valueOf(mesh.slices())),
        workspace.logs(),
        true);
  }

  private Path file(int rank) {
    return workspace.ranks().resolve("rank-" + rank + ".tokens");
  }

  private static void countLines(Process process, Screen.Bar progress) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      while (lines.readLine() != null) {
        progress.step();
      }
    } catch (IOException ended) {
      // The process has ended, and its status tells how.
    }
  }

  /**
   * Hands everything that a rank read to the ledger.
   *
   * @throws QuickstartException if it did not read the steps one by one from 0 to the last
   */
  Summary collect(int rank, long steps, TokenLedger ledger) {
    long next = 0;
    long bytes = 0;
    long sequences = 0;
    long tokens = 0;
    long padding = 0;
    try (RankStepLog.Reader log = new RankStepLog.Reader(file(rank), rank)) {
      Optional<RankStepLog.Entry> read = log.next();
      for (; read.isPresent(); read = log.next()) {
        RankStepLog.Entry entry = read.get();
        if (entry.step() != next) {
          throw new QuickstartException(
              "Rank " + rank + " read step " + entry.step() + " where step " + next + " follows.");
        }
        next++;
        bytes += entry.bytes();
        sequences += entry.sequences();
        padding += entry.padding();
        for (Delivery delivery : entry.deliveries()) {
          tokens += delivery.tokens().length;
          ledger.arrived(delivery);
        }
      }
    } catch (IOException e) {
      throw new QuickstartException("Cannot read what rank " + rank + " left: " + e, e);
    }
    if (next != steps) {
      throw new QuickstartException(
          "Rank " + rank + " read " + next + " steps, and the stream has " + steps + ".");
    }
    return new Summary(rank, steps, bytes, sequences, tokens, padding);
  }
}
