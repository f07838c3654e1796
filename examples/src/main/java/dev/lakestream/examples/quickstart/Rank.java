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

import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.consumer.RankLayout;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One rank of a training job, without the training: reads its slice of every step to the end of the
 * stream, and leaves what it saw in a file.
 *
 * <p>Arguments: the address of the stream, the file. {@code RANK} and {@code WORLD_SIZE} are in the
 * environment, as torchrun sets them. Prints the number of each step that it has read.
 */
final class Rank {

  /** The job has finished: when nothing new has come for so long, this is the end. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private Rank() {}

  public static void main(String[] args) throws IOException {
    RankPosition position =
        RankLayout.fromEnvironment(System.getenv(), 1, QuickstartJob.MESH.cp(), 1);
    int rank = position.mesh().index(position.d(), position.c());
    try (ObjectStore store = Stores.open(args[0], Map.of());
        RankReader reader = RankReader.open(store, position);
        RankStepLog.Writer log = new RankStepLog.Writer(Path.of(args[1]))) {
      Optional<RankStep> next = reader.poll(PATIENCE);
      while (next.isPresent()) {
        log.write(read(next.get(), rank));
        System.out.println(next.get().step());
        next = reader.poll(PATIENCE);
      }
    }
  }

  private static RankStepLog.Entry read(RankStep step, int rank) {
    TokenSlice slice = TokenSlice.decode(step.slice().bytes());
    List<Delivery> deliveries = new ArrayList<>();
    int padding = 0;
    for (int sequence = 0; sequence < slice.count(); sequence++) {
      int[] tokens = slice.tokens(sequence);
      int[] positions = slice.positions(sequence);
      int[] segments = slice.segmentIds(sequence);
      List<TokenSlice.Boundary> documents = slice.boundaries(sequence);
      int to;
      for (int from = 0; from < tokens.length; from = to) {
        to = endOfRun(segments, positions, from);
        if (segments[from] == 0) {
          padding += to - from;
        } else {
          long id = documents.get(segments[from] - 1).sampleId();
          int[] run = Arrays.copyOfRange(tokens, from, to);
          deliveries.add(new Delivery(step.step(), rank, sequence, id, positions[from], run));
        }
      }
    }
    int bytes = step.slice().bytes().remaining();
    return new RankStepLog.Entry(step.step(), bytes, slice.count(), padding, deliveries);
  }

  /** One past the tokens that belong to one document and stand in it side by side. */
  private static int endOfRun(int[] segments, int[] positions, int from) {
    int at = from + 1;
    while (at < segments.length
        && segments[at] == segments[from]
        && (segments[at] == 0 || positions[at] == positions[at - 1] + 1)) {
      at++;
    }
    return at;
  }
}
