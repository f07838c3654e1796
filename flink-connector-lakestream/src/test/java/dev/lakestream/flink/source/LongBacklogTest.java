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

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Stores;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** A million committed steps cost the enumerator no more than a few. */
class LongBacklogTest {

  private static final Mesh MESH = new Mesh(8, 2);
  private static final int STEPS = 1_000_000;
  private static final int STEPS_PER_BUNDLE = 16;
  private static final int SPLITS = STEPS / STEPS_PER_BUNDLE;

  private final String address = "mem://" + UUID.randomUUID() + "/stream";
  private final FakeEnumeratorContext context = new FakeEnumeratorContext(1);

  private void history() {
    TrainingStream stream =
        TrainingStream.openOrCreate(
            Stores.open(address, Map.of()), StreamInfo.create(MESH, "records"));
    Manifest head = stream.log().newest();
    while (head.nextStep() < STEPS) {
      NextManifest next = new NextManifest(head, "append");
      for (int i = 0; i < 2_000 && next.nextStep() < STEPS; i++) {
        next.append(bundle(), "ingest", head.version() + 1);
      }
      Manifest manifest = stream.seal(next, UUID.randomUUID());
      byte[] bytes = stream.log().encode(manifest, head);
      var unused = Futures.await(stream.log().create(manifest.version(), bytes));
      head = manifest;
    }
  }

  private static StagedBundle bundle() {
    String name = BundleName.create(new UUID(1, 2), 1, 0).object();
    return new StagedBundle(
        name,
        67_108_864,
        67_100_000,
        8848,
        STEPS_PER_BUNDLE,
        MESH,
        4096,
        67_000_000,
        EventTimeRange.at(1_700_000_000_000L),
        0,
        Map.of());
  }

  /**
   * Bytes of all objects that can be reached, without int arrays: a collector may leave these in
   * place of objects that have died.
   */
  private static long liveBytes() throws JMException {
    String[] all = {};
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {all},
                new String[] {String[].class.getName()});
    List<Long> bytes =
        histogram
            .toString()
            .lines()
            .map(line -> line.trim().split(" +"))
            .filter(row -> row.length > 3 && row[0].endsWith(":") && !row[3].equals("[I"))
            .map(row -> Long.parseLong(row[2]))
            .toList();
    assertThat(bytes).hasSizeGreaterThan(100);
    return bytes.stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void stateAndMemoryOfTheEnumeratorStaySmallAtEveryPointOfTheBacklog() throws Exception {
    history();
    EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
    LakestreamEnumerator enumerator =
        (LakestreamEnumerator)
            LakestreamSource.<String>builder()
                .path(address)
                .deserializer(TextDeserializer.create())
                .boundedBy(BoundedMode.latest())
                .build()
                .createEnumerator(context);
    enumerator.start();
    context.register(0, List.of());
    enumerator.addReader(0);
    context.tick();

    long steps = 0;
    int splits = 0;
    int largest = 0;
    long early = 0;
    long late = 0;
    while (context.noMoreSplits.isEmpty()) {
      enumerator.handleSplitRequest(0, "here");
      context.settle();
      for (BundleSplit split : context.taken(0)) {
        steps += split.toTgb() - split.next().tgb();
        enumerator.handleSourceEvent(0, new SplitsFinishedEvent(List.of(split.splitId())));
        if (splits == SPLITS * 6 / 10) { // The cache of segments is full by then.
          early = liveBytes();
        } else if (splits == SPLITS * 98 / 100) {
          late = liveBytes();
        }
        if (splits++ % 500 == 0) {
          EnumeratorState state = enumerator.snapshotState(splits);
          assertThat(state.pending()).hasSizeLessThanOrEqualTo(64);
          largest = Math.max(largest, serializer.serialize(state).length);
        }
      }
    }

    assertThat(steps).isEqualTo(STEPS);
    assertThat(splits).isEqualTo(SPLITS);
    // Whatever it kept of each bundle, be it an id alone, would be a hundred bytes or more.
    assertThat(late - early).as("bytes that are kept").isLessThan(SPLITS * 38L / 100 * 25);
    assertThat(largest).as("bytes of state").isBetween(64 * 100, 64 * 300);
  }
}
