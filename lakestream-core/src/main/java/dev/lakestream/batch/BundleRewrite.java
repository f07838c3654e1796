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
package dev.lakestream.batch;

import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A bundle read whole, and written anew with other slices: the same steps, mesh, event times and
 * attributes. Holds the bundle in memory, and what replaces it.
 *
 * <p>What is written here takes the place of the original, which is then deleted. Assumptions, and
 * what recovers when one fails:
 *
 * <ul>
 *   <li>The original is whole. All of it is read and verified, the sections of every rank with
 *       their tables and each slice by its CRC when it is taken, so that damage ends the rewrite
 *       and is never given a new, right checksum.
 *   <li>It is the bundle of the descriptor: stream, mesh and number of batches are compared.
 *   <li>What {@link Edit} does not replace is the same afterwards, byte for byte once decompressed;
 *       how it is compressed may differ.
 *   <li>Nothing is written to the store here. Until its object is put and a manifest shows it, the
 *       original is untouched, and a rewrite that is given up has changed nothing.
 * </ul>
 */
public final class BundleRewrite {

  /** One request for so many bytes at most. */
  private static final long MOST = 64 << 20;

  private final StagedBundle bundle;
  private final BundleIndex index;
  private final List<RankSection> sections;

  private BundleRewrite(StagedBundle bundle, BundleIndex index, List<RankSection> sections) {
    this.bundle = bundle;
    this.index = index;
    this.sections = sections;
  }

  /**
   * Reads the bundle.
   *
   * @throws dev.lakestream.format.CorruptObjectException if it is not what was written
   */
  public static BundleRewrite read(ObjectStore store, UUID streamId, StagedBundle bundle) {
    BundleReader reader = BundleReader.of(store, streamId, bundle);
    BundleIndex index = Futures.await(reader.index());
    List<RankSection> sections =
        Futures.await(new BundleScan(store, reader).read(index, 0, bundle.mesh().slices(), MOST));
    return new BundleRewrite(bundle, index, sections);
  }

  /** What the slices are. */
  public String sliceFormat() {
    return index.sliceFormat();
  }

  /** The C slices of replica {@code dp} in batch {@code tgb}, by chunk, decompressed. */
  public List<Slice> chunks(int tgb, int dp) {
    int cp = bundle.mesh().cp();
    return sections.subList(dp * cp, (dp + 1) * cp).stream()
        .map(section -> section.slice(tgb))
        .toList();
  }

  /** Says what takes the place of the slices of a batch. */
  public interface Edit {

    /**
     * @return the slices of batch {@code tgb}, by number; empty: as they are
     */
    Optional<List<Slice>> slices(int tgb);
  }

  /**
   * The bundle with the batches that {@code edit} gives in place of its own.
   *
   * @param object the name of the new object
   */
  public BundleBuilder.Bundle build(String object, Edit edit) {
    BundleBuilder builder = new BundleBuilder(index.streamId(), index.sliceFormat(), compression());
    for (int tgb = 0; tgb < bundle.tgbCount(); tgb++) {
      BundleIndex.Tgb info = index.tgbs().get(tgb);
      int number = tgb;
      List<Slice> slices = edit.slices(tgb).orElseGet(() -> slices(number));
      builder.add(new GlobalBatch(bundle.mesh(), slices, info.eventTime(), info.attributes()));
    }
    return builder.build(object, Map.copyOf(bundle.attributes()));
  }

  private List<Slice> slices(int tgb) {
    List<Slice> slices = new ArrayList<>();
    sections.forEach(section -> slices.add(section.slice(tgb)));
    return slices;
  }

  /** What the first compressed slice was compressed with. */
  private Compression compression() {
    for (RankSection section : sections) {
      for (int tgb = 0; tgb < bundle.tgbCount(); tgb++) {
        Compression used = section.table().compression(tgb);
        if (used != Compression.NONE) {
          return used;
        }
      }
    }
    return Compression.NONE;
  }
}
