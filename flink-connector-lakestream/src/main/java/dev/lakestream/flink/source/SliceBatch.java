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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.metrics.Counter;

/**
 * Consecutive slices of one split. They were verified and decompressed by the fetching thread;
 * their records are made one by one by the task's thread.
 */
final class SliceBatch<OUT> implements RecordsWithSplitIds<Emitted<OUT>> {

  private final String splitId;
  private final List<DecodedSlice> slices;
  private final Set<String> finished;
  private final SliceDeserializer<OUT> deserializer;
  private final Counter errors;
  private final Runnable recycled;
  private final Emitted<OUT> emitted = new Emitted<>();
  private boolean begun;
  private int slice;
  private RecordIterator<OUT> records;

  /**
   * @param parts what there is of it, if not all bytes; null: all
   * @param from the first record of it to be emitted
   */
  record DecodedSlice(
      SliceMetadata metadata,
      ByteBuffer bytes,
      SliceProjection.Parts parts,
      int tgb,
      int rank,
      long from) {

    <OUT> RecordIterator<OUT> read(SliceDeserializer<OUT> deserializer) throws IOException {
      return parts == null
          ? deserializer.read(metadata, bytes, from)
          : deserializer.projection().read(metadata, parts, from);
    }
  }

  /**
   * @param finishes whether the split ends with this batch
   * @param recycled run when the batch is done with
   */
  SliceBatch(
      String splitId,
      List<DecodedSlice> slices,
      boolean finishes,
      SliceDeserializer<OUT> deserializer,
      Counter errors,
      Runnable recycled) {
    this.splitId = splitId;
    this.slices = slices;
    this.finished = finishes ? Set.of(splitId) : Set.of();
    this.deserializer = deserializer;
    this.errors = errors;
    this.recycled = recycled;
  }

  /** Nothing, for who was woken up. */
  static <OUT> SliceBatch<OUT> empty() {
    return new SliceBatch<>("", List.of(), false, null, null, () -> {});
  }

  @Override
  public String nextSplit() {
    if (begun || slices.isEmpty()) {
      return null;
    }
    begun = true;
    return splitId;
  }

  @Override
  public Emitted<OUT> nextRecordFromSplit() {
    while (slice < slices.size()) {
      try {
        if (advance()) {
          return emitted;
        }
      } catch (IOException e) {
        errors.inc();
        throw new UncheckedIOException(
            slices.get(slice).metadata().what() + " cannot be decoded: " + e.getMessage(), e);
      } catch (RuntimeException e) {
        errors.inc();
        throw e;
      }
    }
    return null;
  }

  /** False: the slice is at its end, or the record is one that the deserializer leaves out. */
  private boolean advance() throws IOException {
    DecodedSlice current = slices.get(slice);
    if (records == null) {
      records = current.read(deserializer);
    }
    if (!records.advance()) {
      closeRecords();
      slice++;
      return false;
    }
    emitted.record = records.record();
    emitted.timestamp = current.metadata().timestamp();
    emitted.tgb = current.tgb();
    emitted.rank = current.rank();
    emitted.nextRecord = records.index() + 1;
    return emitted.record != null;
  }

  private void closeRecords() {
    records.close();
    records = null;
  }

  @Override
  public Set<String> finishedSplits() {
    return finished;
  }

  @Override
  public void recycle() {
    if (records != null) {
      closeRecords();
    }
    recycled.run();
  }
}
