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

import dev.lakestream.batch.SliceCompressor.StoredSlice;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.BundleFooter;
import dev.lakestream.proto.TgbInfo;
import dev.lakestream.store.Payload;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Collects global batches of one mesh and lays them out as one bundle, rank-major. It holds the
 * slices' buffers by reference until the bundle has been written: their bytes must not change in
 * the meantime. Uncompressed slices are never copied; compressed ones exist once, compressed.
 *
 * <p>{@link #add} either takes a batch whole or throws and has taken nothing of it. Memory is
 * {@link #bytes()}; when to close the bundle is for the caller to decide, who asks {@link #accepts}
 * first. Not thread-safe.
 */
public final class BundleBuilder {

  /** Slices at most in one bundle: bounds its tables and the list of its buffers. */
  static final int MAX_SLICES = Mesh.MAX_SLICES;

  /** What a slice costs in memory beside its bytes: its table entry and the objects around it. */
  private static final int SLICE_OVERHEAD = 160;

  private static final int SECTION_LENGTH_BYTES = 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(BundleFormat.ALIGNMENT);

  private final UUID streamId;
  private final String sliceFormat;
  private final Compression compression;
  private final List<List<StoredSlice>> tgbs = new ArrayList<>();
  private final List<TgbInfo> infos = new ArrayList<>();
  private SliceCompressor compressor;
  private Mesh mesh;
  private long footerBytes;
  private EventTimeRange eventTime;

  /**
   * @param sliceFormat what the bytes of the slices are, as in the stream object
   */
  public BundleBuilder(UUID streamId, String sliceFormat, Compression compression) {
    this.streamId = Objects.requireNonNull(streamId, "streamId");
    this.sliceFormat = Objects.requireNonNull(sliceFormat, "sliceFormat");
    this.compression = Objects.requireNonNull(compression, "compression");
    clear();
  }

  /**
   * A bundle that is ready to be written.
   *
   * @param payload the object, in the buffers that hold it
   * @param staged what is true once the object has been written
   */
  public record Bundle(Payload payload, StagedBundle staged) {}

  /**
   * Whether the batch can join the ones that are here; if not, it fits into the next bundle. Every
   * batch that can be written at all is accepted by an empty builder.
   */
  public boolean accepts(GlobalBatch batch) {
    return isEmpty() || refusal(batch, info(batch)) == null;
  }

  /**
   * Adds the batch as the next step of this bundle.
   *
   * @throws InvalidBatchException if it cannot be stored, or not in this bundle ({@link #accepts})
   */
  public void add(GlobalBatch batch) {
    TgbInfo info = info(batch);
    String refusal = refusal(batch, info);
    if (refusal != null) {
      throw new InvalidBatchException(refusal);
    }
    checkSlices(batch);
    tgbs.add(compressor.store(batch.slices()));
    infos.add(info);
    footerBytes += footerBytes(info);
    eventTime =
        tgbs.size() == 1 ? batch.eventTime() : EventTimeRange.union(eventTime, batch.eventTime());
    mesh = batch.mesh();
  }

  public boolean isEmpty() {
    return tgbs.isEmpty();
  }

  /** K so far. */
  public int tgbs() {
    return tgbs.size();
  }

  /**
   * The memory that it keeps alive, in bytes: what the slices hold, compressed or not, and tables.
   */
  public long bytes() {
    long slices = isEmpty() ? 0 : (long) tgbs.size() * mesh.slices();
    return compressor.held() + slices * SLICE_OVERHEAD + footerBytes;
  }

  /**
   * The bundle of all batches since the last one; the builder is empty afterwards and can begin the
   * next.
   *
   * @param object its name, relative to the stream
   * @param attributes free, small; they go into the descriptor, not into the object
   */
  public Bundle build(String object, Map<String, String> attributes) {
    if (isEmpty()) {
      throw new InvalidBatchException("A bundle needs at least one batch: " + object + ".");
    }
    List<ByteBuffer> content = new ArrayList<>();
    content.add(BundleFormat.header());
    BundleFooter.Builder footer =
        BundleFooter.newBuilder()
            .setStreamId(Uuids.toBytes(streamId))
            .setMesh(Messages.toMessage(mesh))
            .setTgbCount(tgbs.size())
            .addAllTgbs(infos)
            .setSliceFormat(sliceFormat);
    long footerOffset = BundleFormat.HEADER_LENGTH;
    for (int r = 0; r < mesh.slices(); r++) {
      long length = addSection(r, content);
      footer.addSectionLengths(length);
      footerOffset += length;
    }
    ByteBuffer end = end(footer.build());
    content.add(end);
    StagedBundle staged =
        new StagedBundle(
            object,
            footerOffset + end.remaining(),
            footerOffset,
            end.remaining() - BundleFormat.TRAILER_LENGTH,
            tgbs.size(),
            mesh,
            infos.stream().mapToLong(TgbInfo::getRecords).sum(),
            infos.stream().mapToLong(TgbInfo::getRawBytes).sum(),
            eventTime,
            BundleIndex.stride(footer.getSectionLengthsList()),
            attributes);
    clear();
    return new Bundle(Payload.of(content), staged);
  }

  /** Appends the section of slice number r; returns its length. */
  private long addSection(int r, List<ByteBuffer> content) {
    ByteBuffer table =
        ByteBuffer.allocate(BundleFormat.tableLength(tgbs.size())).order(ByteOrder.LITTLE_ENDIAN);
    content.add(table);
    table.position(4).putInt(r / mesh.cp()).putInt(r % mesh.cp()).putInt(tgbs.size());
    long offset = table.capacity();
    for (List<StoredSlice> tgb : tgbs) {
      StoredSlice slice = tgb.get(r);
      int length = slice.bytes().remaining();
      new BundleFormat.Entry(
              offset, length, slice.rawLength(), slice.records(), slice.crc(), slice.compression())
          .putTo(table);
      long end = offset + length;
      if (length > 0) {
        content.add(slice.bytes());
        int padding = (int) (BundleFormat.aligned(end) - end);
        if (padding > 0) {
          content.add(ZEROS.slice(0, padding));
        }
      }
      offset = BundleFormat.aligned(end);
    }
    table.flip();
    table.putInt(0, Frame.crc32c(table.slice(4, table.limit() - 4)));
    return offset;
  }

  private static ByteBuffer end(BundleFooter footer) {
    int length = footer.getSerializedSize();
    ByteBuffer end =
        ByteBuffer.allocate(length + BundleFormat.TRAILER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    Frame.putMessage(end.slice(0, length), footer);
    end.position(length);
    BundleFormat.putTrailer(end, end.slice(0, length));
    return end.flip();
  }

  private void clear() {
    tgbs.clear();
    infos.clear();
    compressor = new SliceCompressor(compression);
    mesh = null;
    eventTime = null;
    footerBytes = 0;
  }

  /** Why the batch cannot join; null: it can. */
  private String refusal(GlobalBatch batch, TgbInfo info) {
    if (mesh != null && !mesh.equals(batch.mesh())) {
      return "A batch for a mesh of "
          + batch.mesh()
          + " cannot join a bundle of batches for a mesh of "
          + mesh
          + ": close that bundle and begin another.";
    }
    if (tgbs.size() == BundleFormat.MAX_TGBS) {
      return "The bundle holds "
          + tgbs.size()
          + " batches, which is the limit: close it and begin another.";
    }
    long slices = (tgbs.size() + 1L) * batch.mesh().slices();
    if (slices > MAX_SLICES) {
      return "The bundle would hold "
          + slices
          + " slices; the limit is "
          + MAX_SLICES
          + ": close it and begin another.";
    }
    long footer =
        footerBytes
            + footerBytes(info)
            + 64L
            + 3L * sliceFormat.length()
            + (long) SECTION_LENGTH_BYTES * batch.mesh().slices();
    if (footer > BundleFormat.MAX_FOOTER_LENGTH) {
      return "The footer of the bundle could pass "
          + BundleFormat.MAX_FOOTER_LENGTH
          + " bytes with the attributes of this batch ("
          + info.getSerializedSize()
          + " bytes): close the bundle and begin another, or give batches smaller attributes.";
    }
    return null;
  }

  private static void checkSlices(GlobalBatch batch) {
    for (int r = 0; r < batch.slices().size(); r++) {
      int length = batch.slices().get(r).bytes().remaining();
      if (length > BundleFormat.MAX_SLICE_LENGTH) {
        throw new InvalidBatchException(
            "Slice ("
                + r / batch.mesh().cp()
                + ", "
                + r % batch.mesh().cp()
                + ") has "
                + length
                + " bytes; the limit for one slice is "
                + BundleFormat.MAX_SLICE_LENGTH
                + " bytes. Cut the batch into more slices or more batches.");
      }
    }
  }

  private static TgbInfo info(GlobalBatch batch) {
    TgbInfo.Builder info =
        TgbInfo.newBuilder()
            .setRecords(batch.records())
            .setRawBytes(batch.bytes())
            .setUniformSliceRecords(uniformSliceRecords(batch))
            .putAllAttributes(batch.attributes());
    if (batch.eventTime() != null) {
      info.setEventTime(Messages.toMessage(batch.eventTime()));
    }
    return info.build();
  }

  /** How many records each slice holds; 0: they differ. */
  private static int uniformSliceRecords(GlobalBatch batch) {
    int first = batch.slices().get(0).records();
    return batch.slices().stream().allMatch(slice -> slice.records() == first) ? first : 0;
  }

  /** The message with its tag and length. */
  private static long footerBytes(TgbInfo info) {
    return 6L + info.getSerializedSize();
  }
}
