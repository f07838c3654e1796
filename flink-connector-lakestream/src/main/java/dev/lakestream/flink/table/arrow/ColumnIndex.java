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

import dev.lakestream.flink.source.SliceProjection;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Where the columns of an Arrow slice lie, with a checksum of each: behind the end of the Arrow
 * stream, where readers of Arrow do not look. Holds all of the stream but the bodies, so that this
 * and the bytes of some columns are enough to decode them. docs/slice-formats.md has the layout.
 *
 * @param messages the messages of the stream, in order, without their bodies
 * @param chunks by message and column
 */
record ColumnIndex(List<ByteBuffer> messages, List<Chunk> chunks) {

  private static final int VERSION = 1;
  private static final byte[] MAGIC = "LKCI".getBytes(StandardCharsets.US_ASCII);

  /** CRC, length, version, magic. */
  private static final int TRAILER = 16;

  private static final int CHUNK = 24;

  /**
   * The bytes of a column in a record batch, or of a dictionary.
   *
   * @param message which
   * @param column which of the batch; 0 for a dictionary
   * @param body where the body of the message begins, counted from the beginning of the slice
   * @param offset in that body
   */
  record Chunk(int message, int column, long body, long offset, int length, int crc) {}

  /**
   * Of a stream that has been written here.
   *
   * @param stream begins where the slice begins, and is not moved
   */
  static ByteBuffer of(ByteBuffer stream) {
    ByteBuffer in = stream.slice().order(ByteOrder.LITTLE_ENDIAN);
    List<ByteBuffer> messages = new ArrayList<>();
    List<Chunk> chunks = new ArrayList<>();
    Schema schema = null;
    while (true) {
      int length = in.getInt(in.position() + Integer.BYTES);
      if (length == 0) {
        break;
      }
      ByteBuffer metadata =
          in.slice(in.position() + 2 * Integer.BYTES, length).order(ByteOrder.LITTLE_ENDIAN);
      int body = in.position() + 2 * Integer.BYTES + length;
      Message message = Message.getRootAsMessage(metadata);
      if (schema == null) {
        schema = MessageSerializer.deserializeSchema(message);
      } else {
        RecordBatch batch = batch(message);
        int[] counts =
            message.headerType() == MessageHeader.RecordBatch
                ? VectorSelection.bufferCounts(schema.getFields())
                : new int[] {batch.buffersLength()};
        int first = 0;
        for (int column = 0; column < counts.length; column++) {
          chunks.add(chunk(in, batch, first, counts[column], messages.size(), column, body));
          first += counts[column];
        }
      }
      messages.add(metadata.rewind());
      in.position(body + Math.toIntExact(message.bodyLength()));
    }
    return new ColumnIndex(messages, chunks).encode();
  }

  private static RecordBatch batch(Message message) {
    return message.headerType() == MessageHeader.RecordBatch
        ? (RecordBatch) message.header(new RecordBatch())
        : ((DictionaryBatch) message.header(new DictionaryBatch())).data();
  }

  private static Chunk chunk(
      ByteBuffer in, RecordBatch batch, int first, int count, int message, int column, int body) {
    long from = Long.MAX_VALUE;
    long to = 0;
    for (int i = first; i < first + count; i++) {
      Buffer buffer = batch.buffers(i);
      if (buffer.length() > 0) {
        from = Math.min(from, buffer.offset());
        to = Math.max(to, buffer.offset() + buffer.length());
      }
    }
    from = Math.min(from, to);
    int length = (int) (to - from);
    int crc = Frame.crc32c(in.slice(body + (int) from, length));
    return new Chunk(message, column, body, from, length, crc);
  }

  private ByteBuffer encode() {
    int length = 2 * Integer.BYTES + chunks.size() * CHUNK;
    for (ByteBuffer message : messages) {
      length += Integer.BYTES + message.remaining();
    }
    ByteBuffer out = ByteBuffer.allocate(length + TRAILER).order(ByteOrder.LITTLE_ENDIAN);
    out.putInt(messages.size());
    for (ByteBuffer message : messages) {
      out.putInt(message.remaining()).put(message.duplicate());
    }
    out.putInt(chunks.size());
    for (Chunk chunk : chunks) {
      out.putInt(chunk.message()).putInt(chunk.column()).putInt((int) chunk.body());
      out.putInt((int) chunk.offset()).putInt(chunk.length()).putInt(chunk.crc());
    }
    int crc = Frame.crc32c(out.duplicate().flip());
    return out.putInt(crc).putInt(length).putInt(VERSION).put(MAGIC).flip();
  }

  /**
   * How many bytes at the end of a slice the index takes; 0: it has none.
   *
   * @param end some last bytes of it
   */
  static long length(ByteBuffer end) {
    ByteBuffer in = end.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int limit = in.limit();
    if (in.remaining() < TRAILER
        || in.slice(limit - MAGIC.length, MAGIC.length).mismatch(ByteBuffer.wrap(MAGIC)) >= 0) {
      return 0;
    }
    return Math.max(0, in.getInt(limit - 12)) + (long) TRAILER;
  }

  /**
   * @param end exactly the bytes of the index
   * @param what names the slice in errors
   */
  static ColumnIndex decode(ByteBuffer end, String what) {
    ByteBuffer in = end.slice().order(ByteOrder.LITTLE_ENDIAN);
    String name = "The column index of " + what;
    int length = in.remaining() - TRAILER;
    int version = in.getInt(length + 8);
    if (version > VERSION) {
      throw new UnsupportedVersionException(name, version, VERSION);
    }
    if (version < 1) {
      throw new CorruptObjectException(name + " states version " + version + ".");
    }
    Frame.checkCrc(in.slice(0, length), in.getInt(length), name);
    try {
      in.limit(length);
      List<ByteBuffer> messages = new ArrayList<>();
      for (int left = in.getInt(); left > 0; left--) {
        int size = in.getInt();
        messages.add(in.slice(in.position(), size).order(ByteOrder.LITTLE_ENDIAN));
        in.position(in.position() + size);
      }
      List<Chunk> chunks = new ArrayList<>();
      for (int left = in.getInt(); left > 0; left--) {
        chunks.add(
            new Chunk(
                in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getInt()));
      }
      return new ColumnIndex(messages, chunks);
    } catch (RuntimeException e) {
      throw new CorruptObjectException(name + " is damaged inside: " + e, e);
    }
  }

  Schema schema() {
    return MessageSerializer.deserializeSchema(message(0));
  }

  private Message message(int number) {
    return Message.getRootAsMessage(
        messages.get(number).duplicate().order(ByteOrder.LITTLE_ENDIAN));
  }

  /**
   * The chunks of some columns, and of their dictionaries, in the order in which they lie.
   *
   * @param columns which
   */
  List<Chunk> of(List<Integer> columns) {
    Schema schema = schema();
    List<Long> dictionaries =
        columns.stream()
            .map(column -> schema.getFields().get(column).getDictionary())
            .filter(encoding -> encoding != null)
            .map(encoding -> encoding.getId())
            .toList();
    return chunks.stream()
        .filter(
            chunk -> {
              Message message = message(chunk.message());
              return message.headerType() == MessageHeader.RecordBatch
                  ? columns.contains(chunk.column())
                  : dictionaries.contains(
                      ((DictionaryBatch) message.header(new DictionaryBatch())).id());
            })
        .toList();
  }

  static List<SliceProjection.Range> ranges(List<Chunk> chunks) {
    return chunks.stream()
        .map(
            chunk ->
                new SliceProjection.Range(
                    chunk.body() + chunk.offset(), chunk.length(), chunk.crc()))
        .toList();
  }

  /**
   * The messages with so much of their bodies.
   *
   * @param chunks in order
   * @param bytes of each
   */
  ArrowMessages messages(List<Chunk> chunks, List<ByteBuffer> bytes, String what) {
    ArrowMessages.Builder builder = new ArrowMessages.Builder(what);
    for (int number = 0; number < messages.size(); number++) {
      Message message = message(number);
      ArrowMessages.Pieces pieces = new ArrowMessages.Pieces(message.bodyLength());
      for (int i = 0; i < chunks.size(); i++) {
        if (chunks.get(i).message() == number) {
          pieces.add(chunks.get(i).offset(), bytes.get(i));
        }
      }
      builder.add(message, pieces);
    }
    return builder.build();
  }
}
