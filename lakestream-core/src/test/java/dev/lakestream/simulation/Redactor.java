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
package dev.lakestream.simulation;

import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.commit.CommitFailedException;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.retention.Takedown;
import dev.lakestream.store.Fault;
import dev.lakestream.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Takes something out of random steps, over and over: the last byte of each slice, until it has
 * none. Its processes freeze, die and meet faults as those of producers do.
 */
final class Redactor {

  private final World world;
  private final Simulation sim;
  private final Random random;
  private final String name;
  private int attempts;

  Redactor(World world, String name) {
    this.world = world;
    this.sim = world.sim;
    this.random = sim.random;
    this.name = name;
  }

  void redact() {
    while (!sim.stopping()) {
      String process = name + "." + ++attempts;
      try {
        TrainingStream stream = TrainingStream.open(new Connection(world, process, true), sim);
        if (world.manifests.isEmpty()) {
          world.trace(process, "waits for manifest 0");
        } else {
          redact(process, stream);
        }
      } catch (StreamNotFoundException | CommitFailedException | TrimmedException e) {
        world.trace(process, e.getMessage());
      } catch (StoreException e) {
        // A bundle that was trimmed, or taken down by another one, before it was read.
        if (!e.fault().retryable() && e.fault() != Fault.MISSING) {
          throw e;
        }
        world.trace(process, "fails: " + e.getMessage());
      } catch (Simulation.Killed e) {
        // started again; when all is over, the sleep ends it for good
      }
      sim.sleep(Duration.ofMillis(1 + random.nextInt(random.nextInt(3) == 0 ? 20_000 : 3_000)));
    }
  }

  private void redact(String process, TrainingStream stream) {
    Manifest head = stream.log().newest();
    if (head.steps() == 0) {
      return;
    }
    long from = head.firstStep() + random.nextLong(head.steps());
    long to = Math.min(head.nextStep(), from + 1 + random.nextInt(4));
    Takedown takedown =
        new Takedown(stream, List.of(new LastByte()))
            .commits(
                CommitSettings.DEFAULT.withPacing(world.schedule.pacing()),
                new Random(random.nextLong()),
                world::newId);
    var request =
        new Takedown.Request(
            from, to, new Removal.Contents(Set.of("0".repeat(64))), process + " asks for it");
    world.trace(process, "takes down: " + takedown.run(request).redactions());
  }

  private static final class LastByte implements SliceEditor {

    @Override
    public String format() {
      return "raw";
    }

    @Override
    public Edit without(Removal removal, int dp, List<Slice> chunks, String what) {
      List<Slice> edited = new ArrayList<>();
      long removed = 0;
      for (Slice slice : chunks) {
        ByteBuffer bytes = slice.bytes().duplicate();
        if (bytes.hasRemaining()) {
          bytes.limit(bytes.limit() - 1);
          removed++;
        }
        edited.add(new Slice(bytes, slice.records()));
      }
      return new Edit(edited, removed);
    }
  }
}
