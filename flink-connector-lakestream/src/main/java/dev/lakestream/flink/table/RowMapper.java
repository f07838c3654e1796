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
package dev.lakestream.flink.table;

import dev.lakestream.assembly.InvalidSampleException;
import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.sink.SampleMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Makes samples of rows: checked, with memory of their own, and with what the metadata columns say
 * of time, place and batch.
 */
final class RowMapper implements SampleMapper<RowData> {

  private static final long serialVersionUID = 1L;

  private final RowType columns;
  private final WrittenMetadata metadata;
  private final int dp;
  private final int cp;
  private final int fingerprint;
  private final Content content;

  private transient RowChecks checks;
  private transient long count;
  private transient Map<String, String> last;

  /** What of a row is kept. */
  private interface Content extends java.io.Serializable {
    ByteBuffer of(RowData row, int slice, int fingerprint) throws IOException;
  }

  private RowMapper(
      RowType columns, WrittenMetadata metadata, Mesh mesh, int fingerprint, Content content) {
    this.columns = columns;
    this.metadata = metadata;
    this.dp = mesh.dp();
    this.cp = mesh.cp();
    this.fingerprint = fingerprint;
    this.content = content;
  }

  /**
   * @param serializer of whole rows, metadata included
   */
  static RowMapper ofRows(
      RowType columns,
      WrittenMetadata metadata,
      Mesh mesh,
      int fingerprint,
      TypeSerializer<RowData> serializer) {
    return new RowMapper(columns, metadata, mesh, fingerprint, new Binary(serializer));
  }

  /**
   * @param schema of the physical columns
   */
  static RowMapper ofFormat(
      RowType columns,
      WrittenMetadata metadata,
      Mesh mesh,
      int fingerprint,
      SerializationSchema<RowData> schema) {
    return new RowMapper(
        columns, metadata, mesh, fingerprint, new Formatted(columns, metadata.isEmpty(), schema));
  }

  @Override
  public Sample map(RowData row) throws IOException {
    if (row.getRowKind() != RowKind.INSERT) {
      throw new InvalidSampleException(
          "A row of kind " + row.getRowKind() + ": a stream of batches takes inserts only.");
    }
    if (checks == null) {
      checks = new RowChecks(columns);
    }
    checks.check(row);
    int slice = metadata.placed() ? metadata.slice(row, new Mesh(dp, cp)) : RowPayload.NEXT_SLICE;
    Sample sample = Sample.ofBytes(count++, content.of(row, slice, fingerprint));
    Map<String, String> attributes = shared(metadata.attributes(row));
    sample = attributes.isEmpty() ? sample : sample.with(attributes);
    Long time = metadata.eventTime(row);
    return time == null ? sample : sample.at(time);
  }

  /** The rows that wait for one batch say the same, and need not each keep it. */
  private Map<String, String> shared(Map<String, String> attributes) {
    if (!attributes.equals(last)) {
      last = Map.copyOf(attributes);
    }
    return last;
  }

  private static final class Binary implements Content {
    private static final long serialVersionUID = 1L;

    private final TypeSerializer<RowData> serializer;
    private transient DataOutputSerializer out;

    Binary(TypeSerializer<RowData> serializer) {
      this.serializer = serializer;
    }

    @Override
    public ByteBuffer of(RowData row, int slice, int fingerprint) throws IOException {
      if (out == null) {
        out = new DataOutputSerializer(512);
      }
      out.clear();
      serializer.serialize(row, out);
      return RowPayload.of(slice, fingerprint, out.getSharedBuffer(), out.length());
    }
  }

  private static final class Formatted implements Content {
    private static final long serialVersionUID = 1L;

    private final RowType columns;
    private final boolean physicalOnly;
    private final SerializationSchema<RowData> schema;
    private transient RowData.FieldGetter[] getters;

    Formatted(RowType columns, boolean physicalOnly, SerializationSchema<RowData> schema) {
      this.columns = columns;
      this.physicalOnly = physicalOnly;
      this.schema = schema;
    }

    @Override
    public ByteBuffer of(RowData row, int slice, int fingerprint) throws IOException {
      if (getters == null) {
        open();
      }
      byte[] bytes = schema.serialize(physicalOnly ? row : physical(row));
      return RowPayload.of(
          slice,
          fingerprint,
          bytes == null ? new byte[0] : bytes,
          bytes == null ? 0 : bytes.length);
    }

    private void open() throws IOException {
      try {
        schema.open(new Opening());
      } catch (Exception e) {
        throw new IOException("The format of the table cannot be opened: " + e.getMessage(), e);
      }
      getters = new RowData.FieldGetter[columns.getFieldCount()];
      for (int i = 0; i < getters.length; i++) {
        getters[i] = RowData.createFieldGetter(columns.getTypeAt(i), i);
      }
    }

    private RowData physical(RowData row) {
      GenericRowData physical = new GenericRowData(getters.length);
      for (int i = 0; i < getters.length; i++) {
        physical.setField(i, getters[i].getFieldOrNull(row));
      }
      return physical;
    }
  }

  private record Opening() implements SerializationSchema.InitializationContext {
    @Override
    public MetricGroup getMetricGroup() {
      return new UnregisteredMetricsGroup();
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(Thread.currentThread().getContextClassLoader());
    }
  }
}
