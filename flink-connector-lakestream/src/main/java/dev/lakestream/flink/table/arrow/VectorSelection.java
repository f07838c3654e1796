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

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Some columns of a record batch: which of the batch's nodes and buffers are theirs follows from
 * the schema. Only these buffers are copied out of the body.
 */
final class VectorSelection {

  private final List<Field> fields = new ArrayList<>();
  private final List<Integer> nodes = new ArrayList<>();
  private final List<Integer> buffers = new ArrayList<>();
  private int node;
  private int buffer;

  /**
   * @param all the fields of the batch
   * @param positions ascending
   */
  VectorSelection(List<Field> all, List<Integer> positions) {
    for (int i = 0; i < all.size(); i++) {
      boolean selected = positions.contains(i);
      Field field = inMemory(all.get(i));
      if (selected) {
        fields.add(field);
      }
      walk(field, selected);
    }
  }

  /** How many buffers of a record batch belong to each of its columns. */
  static int[] bufferCounts(List<Field> all) {
    return all.stream()
        .mapToInt(field -> new VectorSelection(List.of(field), List.of()).buffer)
        .toArray();
  }

  /** In a batch stands, of a dictionary column, the index. */
  private static Field inMemory(Field field) {
    if (field.getDictionary() == null) {
      return field;
    }
    ArrowType index = field.getDictionary().getIndexType();
    return new Field(
        field.getName(), new FieldType(field.isNullable(), index, field.getDictionary()), null);
  }

  private void walk(Field field, boolean selected) {
    if (selected) {
      nodes.add(node);
    }
    node++;
    for (int i = 0; i < TypeLayout.getTypeBufferCount(field.getType()); i++) {
      if (selected) {
        buffers.add(buffer);
      }
      buffer++;
    }
    for (Field child : field.getChildren()) {
      walk(child, selected);
    }
  }

  /** The selected columns, in their order; the caller closes them. */
  VectorSchemaRoot load(ArrowMessages.Batch from, BufferAllocator allocator) {
    RecordBatch batch = from.batch();
    if (batch.nodesLength() != node || batch.buffersLength() != buffer) {
      throw new IllegalArgumentException(
          "a batch has "
              + batch.nodesLength()
              + " columns in "
              + batch.buffersLength()
              + " buffers, and the schema says "
              + node
              + " in "
              + buffer);
    }
    VectorSchemaRoot root = VectorSchemaRoot.create(new Schema(fields), allocator);
    try (ArrowRecordBatch part = part(batch, from.body(), allocator)) {
      new VectorLoader(root).load(part);
      for (FieldVector vector : root.getFieldVectors()) {
        if (vector.getValueCount() != batch.length()) {
          throw new IllegalArgumentException(
              "a column has " + vector.getValueCount() + " values of " + batch.length());
        }
      }
      return root;
    } catch (RuntimeException e) {
      root.close();
      throw e;
    }
  }

  private ArrowRecordBatch part(
      RecordBatch batch, ArrowMessages.Body body, BufferAllocator allocator) {
    List<ArrowFieldNode> partNodes = new ArrayList<>();
    for (int number : nodes) {
      FieldNode stated = batch.nodes(number);
      partNodes.add(new ArrowFieldNode(stated.length(), stated.nullCount()));
    }
    List<ArrowBuf> partBuffers = new ArrayList<>();
    try {
      for (int number : buffers) {
        Buffer stated = batch.buffers(number);
        ByteBuffer bytes = body.slice(stated.offset(), stated.length());
        ArrowBuf copy = allocator.buffer(bytes.remaining());
        partBuffers.add(copy);
        copy.setBytes(0, bytes);
        copy.writerIndex(stated.length());
      }
      return new ArrowRecordBatch((int) batch.length(), partNodes, partBuffers);
    } finally {
      // The batch holds them as long as it needs them.
      partBuffers.forEach(ArrowBuf::close);
    }
  }
}
