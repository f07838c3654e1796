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
package dev.lakestream.flink.table.arrow;

import dev.lakestream.format.CorruptObjectException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * The messages of an Arrow IPC stream, without their bodies' bytes being touched.
 *
 * @param schema as it stands in the stream, dictionaries as what they hold
 * @param dictionaries by id
 */
record ArrowMessages(Schema schema, Map<Long, Batch> dictionaries, List<Batch> batches) {

  private static final int CONTINUATION = 0xFFFFFFFF;

  /** The bytes behind a message. */
  interface Body {
    long length();

    /** Some of them, as a view. */
    ByteBuffer slice(long offset, long length);
  }

  record Batch(RecordBatch batch, Body body) {}

  private record Whole(ByteBuffer bytes) implements Body {
    @Override
    public long length() {
      return bytes.remaining();
    }

    @Override
    public ByteBuffer slice(long offset, long length) {
      return bytes.slice(Math.toIntExact(offset), Math.toIntExact(length));
    }
  }

  /** Parts of a body; the others may not be asked for. */
  static final class Pieces implements Body {
    private final long length;
    private final TreeMap<Long, ByteBuffer> pieces = new TreeMap<>();

    Pieces(long length) {
      this.length = length;
    }

    void add(long offset, ByteBuffer bytes) {
      pieces.put(offset, bytes);
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public ByteBuffer slice(long offset, long wanted) {
      if (wanted == 0) {
        return ByteBuffer.allocate(0);
      }
      Map.Entry<Long, ByteBuffer> piece = pieces.floorEntry(offset);
      if (piece == null) {
        throw new IllegalArgumentException("bytes from " + offset + " are not there");
      }
      int at = Math.toIntExact(offset - piece.getKey());
      return piece.getValue().slice(at, Math.toIntExact(wanted));
    }
  }

  /**
   * @param what names the slice in errors
   * @throws CorruptObjectException if it is no stream, or uses what is not read here
   */
  static ArrowMessages parse(ByteBuffer slice, String what) {
    Cursor cursor = new Cursor(slice.slice().order(ByteOrder.LITTLE_ENDIAN), what);
    Builder builder = new Builder(what);
    for (Message message = cursor.next(); message != null; message = cursor.next()) {
      builder.add(message, new Whole(cursor.take(message.bodyLength())));
    }
    return builder.build();
  }

  /** Takes the messages of a stream one by one. */
  static final class Builder {
    private final String what;
    private Schema schema;
    private final Map<Long, Batch> dictionaries = new HashMap<>();
    private final List<Batch> batches = new ArrayList<>();

    Builder(String what) {
      this.what = what;
    }

    void add(Message message, Body body) {
      switch (message.headerType()) {
        case MessageHeader.Schema -> schema = MessageSerializer.deserializeSchema(message);
        case MessageHeader.DictionaryBatch -> {
          DictionaryBatch batch = (DictionaryBatch) message.header(new DictionaryBatch());
          Batch values = checked(new Batch(batch.data(), body));
          if (batch.isDelta() || dictionaries.put(batch.id(), values) != null) {
            throw refused(what, "changes a dictionary, which is not supported");
          }
        }
        case MessageHeader.RecordBatch ->
            batches.add(checked(new Batch((RecordBatch) message.header(new RecordBatch()), body)));
        default -> throw refused(what, "has a message of kind " + message.headerType());
      }
    }

    ArrowMessages build() {
      if (schema == null) {
        throw refused(what, "has no schema");
      }
      return new ArrowMessages(schema, dictionaries, batches);
    }

    private Batch checked(Batch batch) {
      if (batch.batch().compression() != null) {
        throw refused(what, "has compressed buffers; let the stream compress slices instead");
      }
      if (batch.batch().variadicBufferCountsLength() > 0) {
        throw refused(what, "has view columns");
      }
      long rows = batch.batch().length();
      // A row takes a bit at least.
      if (rows < 0 || rows > Math.min(Integer.MAX_VALUE, 8L * batch.body().length())) {
        throw refused(what, "states " + rows + " rows in " + batch.body().length() + " bytes");
      }
      return batch;
    }
  }

  private static CorruptObjectException refused(String what, String how) {
    return new CorruptObjectException(what + " " + how + ".");
  }

  /** In all record batches. */
  long rows() {
    return batches.stream().mapToLong(batch -> batch.batch().length()).sum();
  }

  private record Cursor(ByteBuffer in, String what) {

    /** Null: the end. */
    Message next() {
      if (in.remaining() < 2 * Integer.BYTES) {
        return null;
      }
      if (in.getInt() != CONTINUATION) {
        throw refused(what, "is not an Arrow IPC stream");
      }
      int length = in.getInt();
      return length == 0 ? null : Message.getRootAsMessage(take(length));
    }

    ByteBuffer take(long length) {
      if (length < 0 || length > in.remaining()) {
        throw refused(
            what, "states a length of " + length + " where " + in.remaining() + " bytes are left");
      }
      ByteBuffer taken = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
      in.position(in.position() + (int) length);
      return taken;
    }
  }
}
