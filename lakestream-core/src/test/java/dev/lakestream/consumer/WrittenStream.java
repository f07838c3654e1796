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
package dev.lakestream.consumer;

import com.google.protobuf.ByteString;
import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.Publication;
import dev.lakestream.commit.Publisher;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/**
 * A stream whose every slice tells where it is, written bundle by bundle and commit by commit, so
 * that tests know what each of them must read.
 */
public final class WrittenStream {

  /** What the slices of a step hold. */
  @FunctionalInterface
  public interface Content {
    Slice slice(long step, int d, int c);
  }

  private static final CommitSettings NAIVE = CommitSettings.DEFAULT.withPacing(Pacing.NAIVE);

  private final TrainingStream stream;
  private final Publisher publisher;
  private final UUID owner = UUID.randomUUID();
  private final UUID lineage;
  private Mesh mesh;
  private Compression compression = Compression.NONE;
  private Content content;
  private long sequence;
  private long step;

  public WrittenStream(ObjectStore store, Mesh mesh, String sliceFormat, Content content) {
    this.mesh = mesh;
    this.content = content;
    this.stream = TrainingStream.openOrCreate(store, StreamInfo.create(mesh, sliceFormat));
    this.publisher = new Publisher(stream, NAIVE, new Random(1), new CommitMetrics());
    this.lineage =
        publisher
            .takeOver(new Claim("writer", owner, "a test", new Claim.Fresh()), OnRewind.FAIL)
            .lineage()
            .id();
  }

  /** Raw slices that differ in length, some of them empty. */
  public static WrittenStream uneven(ObjectStore store, Mesh mesh) {
    return new WrittenStream(store, mesh, "raw", WrittenStream::unevenSlice);
  }

  /** Raw slices of one length, so that sections have a stride. */
  public static WrittenStream even(ObjectStore store, Mesh mesh, int length) {
    return new WrittenStream(
        store, mesh, "raw", (step, d, c) -> Slice.of(bytes(step, d, c, length), 1));
  }

  public static Slice unevenSlice(long step, int d, int c) {
    int length = (int) ((step * 13 + d * 5 + c * 3) % 41);
    return Slice.of(bytes(step, d, c, length), length == 0 ? 0 : 1);
  }

  public static byte[] bytes(long step, int d, int c, int length) {
    byte[] bytes = new byte[length];
    new Random(step * 1009 + d * 31L + c).nextBytes(bytes);
    return bytes;
  }

  public WrittenStream compressed(Compression kind) {
    compression = kind;
    return this;
  }

  /** The mesh of the batches from now on. */
  public WrittenStream mesh(Mesh next) {
    mesh = next;
    return this;
  }

  /** Publishes bundles of so many steps each, in one commit. */
  public WrittenStream commit(int... steps) {
    List<StagedBundle> staged = new ArrayList<>();
    for (int tgbs : steps) {
      BundleBuilder builder =
          new BundleBuilder(stream.id(), stream.info().sliceFormat(), compression);
      for (int k = 0; k < tgbs; k++) {
        builder.add(batch(step++));
      }
      BundleBuilder.Bundle bundle =
          builder.build(BundleName.create(owner, sequence, 0).object(), Map.of());
      Futures.await(stream.store().put(bundle.staged().object(), bundle.payload()));
      staged.add(bundle.staged());
    }
    sequence++;
    publisher.publish(
        new Publication(
            "writer", owner, lineage, owner, sequence, staged, ByteString.EMPTY, false));
    return this;
  }

  private GlobalBatch batch(long number) {
    List<Slice> slices = new ArrayList<>();
    for (int d = 0; d < mesh.dp(); d++) {
      for (int c = 0; c < mesh.cp(); c++) {
        slices.add(content.slice(number, d, c));
      }
    }
    return GlobalBatch.of(mesh, slices);
  }

  /** Trims the stream to {@code first}; deletes nothing. */
  public WrittenStream trim(long first) {
    new CommitLoop(stream, NAIVE, new Random(2), new CommitMetrics())
        .commit(
            base -> {
              long row =
                  stream.history(base).bundleOf(first).map(b -> b.rowOf(first)).orElseThrow();
              return Optional.of(new NextManifest(base, "trim").trim(first, row));
            });
    return this;
  }

  public TrainingStream stream() {
    return stream;
  }

  public Manifest head() {
    return stream.log().newest();
  }

  /** So many steps have been published. */
  public long steps() {
    return step;
  }
}
