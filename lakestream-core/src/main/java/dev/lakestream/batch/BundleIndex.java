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

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.BundleFooter;
import dev.lakestream.proto.TgbInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.UUID;

/** What the footer of a bundle says: whose it is, its shape, and where each section lies. */
public final class BundleIndex {

  private final UUID streamId;
  private final Mesh mesh;
  private final String sliceFormat;
  private final List<Tgb> tgbs;
  private final long[] sectionOffsets; // One more than there are: the end of the last.
  private final long sectionStride;

  /**
   * One batch of the bundle.
   *
   * @param records over all of its slices
   * @param rawBytes over all of its slices, before compression
   * @param eventTime of its records; null: unknown
   * @param attributes as the batch had them
   * @param uniformSliceRecords how many records each slice holds; empty: they differ, or the footer
   *     does not tell
   */
  public record Tgb(
      long records,
      long rawBytes,
      EventTimeRange eventTime,
      Map<String, String> attributes,
      OptionalInt uniformSliceRecords) {}

  private BundleIndex(
      UUID streamId,
      Mesh mesh,
      String sliceFormat,
      List<Tgb> tgbs,
      long[] sectionOffsets,
      long sectionStride) {
    this.streamId = streamId;
    this.mesh = mesh;
    this.sliceFormat = sliceFormat;
    this.tgbs = tgbs;
    this.sectionOffsets = sectionOffsets;
    this.sectionStride = sectionStride;
  }

  /**
   * @param footer the message; its CRC has been checked
   * @param footerOffset where it begins in the object: the sections fill all bytes before it
   */
  static BundleIndex decode(ByteBuffer footer, long footerOffset, String what) {
    BundleFooter message = Frame.parse(footer, BundleFooter.parser(), "The footer of " + what);
    Mesh mesh = Messages.fromMessage(message.getMesh(), what);
    int tgbCount = message.getTgbCount();
    if (tgbCount < 1 || tgbCount > BundleFormat.MAX_TGBS || tgbCount != message.getTgbsCount()) {
      throw new CorruptObjectException(
          what
              + " states "
              + Integer.toUnsignedString(tgbCount)
              + " batches and describes "
              + message.getTgbsCount()
              + "; 1 to "
              + BundleFormat.MAX_TGBS
              + " are possible.");
    }
    return new BundleIndex(
        Uuids.fromBytes(message.getStreamId(), "The stream id of " + what),
        mesh,
        message.getSliceFormat(),
        message.getTgbsList().stream().map(tgb -> tgb(tgb, mesh, what)).toList(),
        offsets(message.getSectionLengthsList(), mesh, tgbCount, footerOffset, what),
        stride(message.getSectionLengthsList()));
  }

  private static Tgb tgb(TgbInfo info, Mesh mesh, String what) {
    return new Tgb(
        info.getRecords(),
        info.getRawBytes(),
        info.hasEventTime() ? Messages.fromMessage(info.getEventTime(), what) : null,
        Map.copyOf(info.getAttributesMap()),
        uniformSliceRecords(info, mesh, what));
  }

  private static OptionalInt uniformSliceRecords(TgbInfo info, Mesh mesh, String what) {
    int stated = info.getUniformSliceRecords();
    if (stated != 0 && info.getRecords() != Integer.toUnsignedLong(stated) * mesh.slices()) {
      throw new CorruptObjectException(
          what
              + " states "
              + info.getRecords()
              + " records for a batch, and "
              + Integer.toUnsignedString(stated)
              + " for each of its "
              + mesh.slices()
              + " slices.");
    }
    if (info.getRecords() == 0) {
      return OptionalInt.of(0);
    }
    if (mesh.slices() == 1 && info.getRecords() <= Integer.MAX_VALUE) {
      return OptionalInt.of((int) info.getRecords());
    }
    return stated > 0 ? OptionalInt.of(stated) : OptionalInt.empty();
  }

  private static long[] offsets(
      List<Long> lengths, Mesh mesh, int tgbCount, long footerOffset, String what) {
    if (lengths.size() != mesh.slices()) {
      throw new CorruptObjectException(
          what
              + " has "
              + lengths.size()
              + " sections where a mesh of "
              + mesh
              + " needs "
              + mesh.slices()
              + ".");
    }
    long[] offsets = new long[lengths.size() + 1];
    offsets[0] = BundleFormat.HEADER_LENGTH;
    for (int r = 0; r < lengths.size(); r++) {
      long length = lengths.get(r);
      if (length < BundleFormat.tableLength(tgbCount) || length > footerOffset - offsets[r]) {
        throw new CorruptObjectException(
            what
                + " states a length of "
                + Long.toUnsignedString(length)
                + " bytes for section "
                + r
                + " at "
                + offsets[r]
                + "; its table alone has "
                + BundleFormat.tableLength(tgbCount)
                + ", and the footer begins at "
                + footerOffset
                + ".");
      }
      offsets[r + 1] = offsets[r] + length;
    }
    if (offsets[lengths.size()] != footerOffset) {
      throw new CorruptObjectException(
          what
              + " has sections up to "
              + offsets[lengths.size()]
              + " and a footer at "
              + footerOffset
              + ".");
    }
    return offsets;
  }

  /** The length that all sections have; 0: they differ. */
  static long stride(List<Long> lengths) {
    long first = lengths.get(0);
    return lengths.stream().allMatch(length -> length == first) ? first : 0;
  }

  public UUID streamId() {
    return streamId;
  }

  public Mesh mesh() {
    return mesh;
  }

  /** What the bytes of its slices are. */
  public String sliceFormat() {
    return sliceFormat;
  }

  /** Its batches, in step order. */
  public List<Tgb> tgbs() {
    return tgbs;
  }

  /** Of section r, in the object. */
  long sectionOffset(int r) {
    return sectionOffsets[r];
  }

  long sectionLength(int r) {
    return sectionOffsets[r + 1] - sectionOffsets[r];
  }

  private EventTimeRange eventTime() {
    EventTimeRange all = tgbs.get(0).eventTime();
    for (Tgb tgb : tgbs) {
      all = EventTimeRange.union(all, tgb.eventTime());
    }
    return all;
  }

  /** The descriptor that fits, without attributes: those are not in the object. */
  StagedBundle staged(String object, int footerLength) {
    long footerOffset = sectionOffsets[mesh.slices()];
    return new StagedBundle(
        object,
        footerOffset + footerLength + BundleFormat.TRAILER_LENGTH,
        footerOffset,
        footerLength,
        tgbs.size(),
        mesh,
        tgbs.stream().mapToLong(Tgb::records).sum(),
        tgbs.stream().mapToLong(Tgb::rawBytes).sum(),
        eventTime(),
        sectionStride,
        Map.of());
  }

  /** Compares the footer with what a descriptor says. */
  void checkAgainst(UUID expectedStream, StagedBundle described, String what) {
    StagedBundle found = staged(described.object(), described.footerLength());
    checkSame("stream", expectedStream, streamId, what);
    checkSame("mesh", described.mesh(), mesh, what);
    checkSame("number of batches", described.tgbCount(), found.tgbCount(), what);
    checkSame("number of records", described.records(), found.records(), what);
    checkSame("number of raw bytes", described.rawBytes(), found.rawBytes(), what);
    checkSame("event-time range", described.eventTime(), found.eventTime(), what);
    checkSame("section stride", described.sectionStride(), found.sectionStride(), what);
  }

  private static void checkSame(String field, Object described, Object found, String what) {
    if (!Objects.equals(described, found)) {
      throw new CorruptObjectException(
          what
              + " is not the one that was described: its "
              + field
              + " is "
              + found
              + " and should be "
              + described
              + ".");
    }
  }
}
