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
package dev.lakestream.flink.catalog;

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.History;
import dev.lakestream.manifest.Lineage;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.ProducerEntry;
import dev.lakestream.manifest.StreamDroppedException;
import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Tags;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;

/** The rows of the metadata tables; columns as in {@link MetadataTable}. */
final class MetadataRows {

  private static final int BUNDLES_AT_ONCE = 64;
  private static final int MANIFESTS_AT_ONCE = 100;

  private MetadataRows() {}

  static Iterator<RowData> batches(TrainingStream stream) {
    Manifest head = stream.log().newest();
    History history = stream.history(head);
    return new Pages() {
      private long next = head.firstStep();

      @Override
      void fill(Deque<RowData> page) {
        for (BundleDescriptor bundle : history.bundles(next, BUNDLES_AT_ONCE)) {
          addSteps(stream, bundle, next, page);
          next = bundle.nextStep();
        }
      }
    };
  }

  private static void addSteps(
      TrainingStream stream, BundleDescriptor bundle, long from, Deque<RowData> page) {
    BundleIndex index =
        Futures.await(BundleReader.of(stream.store(), stream.id(), bundle.bundle()).index());
    for (long step = Math.max(from, bundle.firstStep()); step < bundle.nextStep(); step++) {
      int tgb = (int) (step - bundle.firstStep());
      BundleIndex.Tgb info = index.tgbs().get(tgb);
      EventTimeRange time = info.eventTime();
      page.add(
          GenericRowData.of(
              step,
              bundle.rowOf(step),
              text(bundle.bundle().mesh()),
              info.records(),
              info.rawBytes(),
              text(bundle.producerId()),
              bundle.sequence(),
              bundle.version(),
              bundle.publishedAt() == 0 ? null : time(bundle.publishedAt()),
              time == null ? null : time(time.min()),
              time == null ? null : time(time.max()),
              text(bundle.bundle().object())));
    }
  }

  static Iterator<RowData> manifests(TrainingStream stream) {
    return new Pages() {
      private long after = -1;
      private boolean more = true;

      @Override
      void fill(Deque<RowData> page) {
        while (page.isEmpty() && more) {
          Listing listing = stream.log().list(after, MANIFESTS_AT_ONCE);
          more = listing.truncated() && !listing.objects().isEmpty();
          for (Listing.Entry entry : listing.objects()) {
            OptionalLong version = StreamKeys.manifestVersion(entry.key());
            if (version.isPresent()) {
              after = version.getAsLong();
              manifest(stream, after).ifPresent(manifest -> page.add(row(manifest)));
            }
          }
        }
      }
    };
  }

  /** Empty: reclaimed meanwhile, or left of a stream that was dropped before this one was made. */
  private static Optional<Manifest> manifest(TrainingStream stream, long version) {
    try {
      return stream.log().at(version);
    } catch (StreamDroppedException before) {
      return Optional.empty();
    }
  }

  private static RowData row(Manifest manifest) {
    return GenericRowData.of(
        manifest.version(),
        text(manifest.operation()),
        time(manifest.createdAt()),
        manifest.firstStep(),
        manifest.nextStep(),
        manifest.nextRow(),
        manifest.producers().size(),
        manifest.totalRecords(),
        manifest.totalRawBytes(),
        text(manifest.commitId()),
        manifest.parentCommitId().map(MetadataRows::text).orElse(null));
  }

  static Iterator<RowData> producers(TrainingStream stream) {
    return stream.log().newest().producers().stream().map(MetadataRows::row).iterator();
  }

  private static RowData row(ProducerEntry entry) {
    Lineage lineage = entry.currentLineage();
    boolean published = lineage.publishedBy().isPresent();
    return GenericRowData.of(
        text(entry.producerId()),
        text(entry.currentOwner().jobName()),
        text(entry.currentOwner().id()),
        time(entry.currentOwner().takenOverAt()),
        text(lineage.id()),
        lineage.sequence(),
        published ? lineage.lastCommitVersion() : null,
        published ? lineage.nextStep() : null,
        entry.previousOwners(),
        time(entry.updatedAt()));
  }

  static Iterator<RowData> watermarks(TrainingStream stream) {
    return new Watermarks(stream)
        .all().stream()
            .map(
                mark ->
                    (RowData)
                        GenericRowData.of(
                            text(mark.group()),
                            mark.rank(),
                            mark.worldSize(),
                            mark.generation(),
                            mark.step(),
                            mark.version(),
                            mark.mesh().map(MetadataRows::text).orElse(null),
                            text(mark.kind()),
                            time(mark.updatedAt())))
            .iterator();
  }

  static Iterator<RowData> tags(TrainingStream stream) {
    return new Tags(stream)
        .all().stream()
            .map(
                tag ->
                    (RowData)
                        GenericRowData.of(
                            text(tag.name()),
                            tag.firstStep(),
                            tag.nextStep(),
                            time(tag.createdAt()),
                            text(tag.comment())))
            .iterator();
  }

  private static StringData text(String value) {
    return StringData.fromString(value);
  }

  private static StringData text(UUID value) {
    return text(value.toString());
  }

  private static StringData text(Mesh value) {
    return text(value.toString());
  }

  private static StringData text(Enum<?> value) {
    return text(value.name());
  }

  private static TimestampData time(long millis) {
    return TimestampData.fromEpochMillis(millis);
  }

  /** Rows that are read a page at a time. */
  private abstract static class Pages implements Iterator<RowData> {

    private final Deque<RowData> page = new ArrayDeque<>();

    /** Adds some rows; none: there are no more. */
    abstract void fill(Deque<RowData> into);

    @Override
    public boolean hasNext() {
      if (page.isEmpty()) {
        fill(page);
      }
      return !page.isEmpty();
    }

    @Override
    public RowData next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return page.remove();
    }
  }
}
