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

  /**
   * @param body a view
   */
  record Batch(RecordBatch batch, ByteBuffer body) {}

  /**
   * @param what names the slice in errors
   * @throws CorruptObjectException if it is no stream, or uses what is not read here
   */
  static ArrowMessages parse(ByteBuffer slice, String what) {
    Cursor cursor = new Cursor(slice.slice().order(ByteOrder.LITTLE_ENDIAN), what);
    Schema schema = null;
    Map<Long, Batch> dictionaries = new HashMap<>();
    List<Batch> batches = new ArrayList<>();
    for (Message message = cursor.next(); message != null; message = cursor.next()) {
      ByteBuffer body = cursor.take(message.bodyLength());
      switch (message.headerType()) {
        case MessageHeader.Schema -> schema = MessageSerializer.deserializeSchema(message);
        case MessageHeader.DictionaryBatch -> {
          DictionaryBatch batch = (DictionaryBatch) message.header(new DictionaryBatch());
          Batch values = cursor.checked(new Batch(batch.data(), body));
          if (batch.isDelta() || dictionaries.put(batch.id(), values) != null) {
            throw cursor.refused("changes a dictionary, which is not supported");
          }
        }
        case MessageHeader.RecordBatch ->
            batches.add(
                cursor.checked(new Batch((RecordBatch) message.header(new RecordBatch()), body)));
        default -> throw cursor.refused("has a message of kind " + message.headerType());
      }
    }
    if (schema == null) {
      throw cursor.refused("has no schema");
    }
    return new ArrowMessages(schema, dictionaries, batches);
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
        throw refused("is not an Arrow IPC stream");
      }
      int length = in.getInt();
      return length == 0 ? null : Message.getRootAsMessage(take(length));
    }

    ByteBuffer take(long length) {
      if (length < 0 || length > in.remaining()) {
        throw refused(
            "states a length of " + length + " where " + in.remaining() + " bytes are left");
      }
      ByteBuffer taken = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
      in.position(in.position() + (int) length);
      return taken;
    }

    Batch checked(Batch batch) {
      if (batch.batch().compression() != null) {
        throw refused("has compressed buffers; let the stream compress slices instead");
      }
      if (batch.batch().variadicBufferCountsLength() > 0) {
        throw refused("has view columns");
      }
      long rows = batch.batch().length();
      // A row takes a bit at least.
      if (rows < 0 || rows > Math.min(Integer.MAX_VALUE, 8L * batch.body().remaining())) {
        throw refused("states " + rows + " rows in " + batch.body().remaining() + " bytes");
      }
      return batch;
    }

    CorruptObjectException refused(String how) {
      return new CorruptObjectException(what + " " + how + ".");
    }
  }
}
