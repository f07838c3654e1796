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
import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.function.SerializableFunction;

/**
 * Turns slices into records. Part of the job graph: serializable, and opened in each reader.
 *
 * <p>Ready-made are {@link #slices}, {@link #records} and {@link #tokens}.
 */
public interface SliceDeserializer<OUT> extends Serializable, ResultTypeQueryable<OUT> {

  /** What of a slice {@link #read} looks at; the rest is not fetched. */
  enum Needs {
    /** Everything. */
    BYTES,
    /** What is known of each slice; not its bytes, which are empty then. */
    SLICES,
    /**
     * What is known of each step. All slices of a step may come as one: that of its first rank,
     * with the records of all.
     */
    STEPS
  }

  /** Constant. */
  default Needs needs() {
    return Needs.BYTES;
  }

  /**
   * How to make the same records of less than all bytes, where slices allow it; null: that is not
   * known. The same object each time.
   */
  default SliceProjection<OUT> projection() {
    return null;
  }

  /** Called once in each reader, before the first slice. */
  default void open(DeserializationSchema.InitializationContext context) throws Exception {}

  /**
   * The records of a slice from index {@code from} on.
   *
   * @param bytes of the slice, decompressed and verified; read-only, and valid until the iterator
   *     is closed; empty for a rank that has no part in the step
   * @throws IOException if the bytes are not what they should be; ends the job
   */
  RecordIterator<OUT> read(SliceMetadata slice, ByteBuffer bytes, long from) throws IOException;

  /** Each slice as one record, empty ones too. */
  static SliceDeserializer<SliceRecord> slices() {
    return new WholeSlices();
  }

  /** The records of the slice format {@code records}, each by itself. */
  static <OUT> SliceDeserializer<OUT> records(DeserializationSchema<OUT> schema) {
    return new RecordSlices<>(
        context -> schema.open(context),
        record -> schema.deserialize(record.bytes()),
        schema.getProducedType());
  }

  /** The records of the slice format {@code records}, with where they were found. */
  static <OUT> SliceDeserializer<OUT> records(
      SerializableFunction<FoundRecord, OUT> mapper, TypeInformation<OUT> type) {
    return new RecordSlices<>(context -> {}, mapper::apply, type);
  }

  /** The sequences of the slice format {@code tokens}, each by itself. */
  static SliceDeserializer<TokenRecord> tokens() {
    return new TokenSlices();
  }
}
