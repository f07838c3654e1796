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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A stream of records whose text says where they are: {@code step/d/c/index}. The event time of a
 * step is its number in seconds.
 */
final class TestStream {

  private final String address;
  private final Mesh mesh;
  private final TrainingStream stream;
  private int recordsPerSlice = 3;
  private int stepsPerBundle = 4;
  private Compression compression = Compression.NONE;

  private TestStream(String address, Mesh mesh) {
    this.address = address;
    this.mesh = mesh;
    this.stream =
        TrainingStream.openOrCreate(
            Stores.open(address, Map.of()), StreamInfo.create(mesh, SliceFormats.RECORDS));
  }

  /** In memory, under a name of its own. */
  static TestStream inMemory(Mesh mesh) {
    return at("mem://" + UUID.randomUUID() + "/stream", mesh);
  }

  static TestStream at(String address, Mesh mesh) {
    return new TestStream(address, mesh);
  }

  TestStream recordsPerSlice(int value) {
    recordsPerSlice = value;
    return this;
  }

  TestStream stepsPerBundle(int value) {
    stepsPerBundle = value;
    return this;
  }

  TestStream compression(Compression value) {
    compression = value;
    return this;
  }

  String address() {
    return address;
  }

  String storeName() {
    return address.substring("mem://".length(), address.lastIndexOf('/'));
  }

  TrainingStream stream() {
    return stream;
  }

  Manifest head() {
    return stream.log().newest();
  }

  /** Publishes so many steps; in one commit if they fill whole bundles. */
  TestStream append(int steps) {
    long first = head().nextStep();
    try (Producer producer = producer()) {
      for (long step = first; step < first + steps; step++) {
        producer.append(batch(step), ByteString.EMPTY);
      }
    }
    return this;
  }

  /** Publishes a batch as it is. */
  TestStream append(GlobalBatch batch) {
    try (Producer producer = producer()) {
      producer.append(batch, ByteString.EMPTY);
    }
    return this;
  }

  private Producer producer() {
    return Producer.builder(stream, "test")
        .staging(new StagingSettings(stepsPerBundle, 64 << 20, 256 << 20, 4, compression))
        .build();
  }

  private GlobalBatch batch(long step) {
    List<Slice> slices = new ArrayList<>();
    for (int d = 0; d < mesh.dp(); d++) {
      for (int c = 0; c < mesh.cp(); c++) {
        slices.add(slice(texts(step, d, c)));
      }
    }
    return new GlobalBatch(
        mesh, slices, EventTimeRange.at(step * 1000), Map.of("step", Long.toString(step)));
  }

  static Slice slice(List<String> texts) {
    List<ByteBuffer> records =
        texts.stream().map(text -> ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))).toList();
    return new Slice(RecordSlice.encode(records), records.size());
  }

  private List<String> texts(long step, int d, int c) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < recordsPerSlice; i++) {
      texts.add(step + "/" + d + "/" + c + "/" + i);
    }
    return texts;
  }

  /** All records of steps {@code from} to {@code to}, exclusive, in global order. */
  List<String> records(long from, long to) {
    List<String> all = new ArrayList<>();
    for (long step = from; step < to; step++) {
      for (int d = 0; d < mesh.dp(); d++) {
        for (int c = 0; c < mesh.cp(); c++) {
          all.addAll(texts(step, d, c));
        }
      }
    }
    return all;
  }

  /** Gives up the steps below {@code step}, and deletes manifests and bundles with them. */
  void reclaim(long step) {
    Manifest head = head();
    Manifest trimmed = trim(step);
    List<String> gone =
        step == head.firstStep()
            ? List.of()
            : stream.history(head).bundles(head.firstStep(), Integer.MAX_VALUE).stream()
                .filter(bundle -> bundle.nextStep() <= step)
                .map(bundle -> bundle.bundle().object())
                .toList();
    gone.forEach(object -> Futures.await(stream.store().delete(object)));
    for (long version = 0; version < trimmed.version(); version++) {
      Futures.await(stream.store().delete("manifest/%020d.manifest".formatted(version)));
    }
  }

  /** Gives up the steps below {@code step}, and deletes nothing yet. */
  Manifest trim(long step) {
    Manifest head = head();
    long row =
        step == head.nextStep()
            ? head.nextRow()
            : stream.history(head).bundleOf(step).orElseThrow().rowOf(step);
    NextManifest next = new NextManifest(head, "trim").trim(step, row);
    Manifest manifest = stream.seal(next, UUID.randomUUID());
    byte[] bytes = stream.log().encode(manifest, head);
    if (Futures.await(stream.log().create(manifest.version(), bytes)) != CreateOutcome.CREATED) {
      throw new IllegalStateException("Manifest " + manifest.version() + " exists.");
    }
    return manifest;
  }
}
