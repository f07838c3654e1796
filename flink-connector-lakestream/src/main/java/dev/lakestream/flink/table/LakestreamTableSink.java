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

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.sink.Assembly;
import dev.lakestream.flink.sink.LakestreamSink;
import dev.lakestream.flink.sink.LakestreamSinkBuilder;
import dev.lakestream.flink.sink.LakestreamSinkOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.SinkV2Provider;
import org.apache.flink.table.connector.sink.abilities.SupportsWritingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** INSERT INTO a stream. Takes inserts only. */
final class LakestreamTableSink implements DynamicTableSink, SupportsWritingMetadata {

  private final TableStream stream;
  private final ReadableConfig options;
  private final DataType physical;
  private final EncodingFormat<SerializationSchema<RowData>> format;

  private DataType consumed;
  private WrittenMetadata metadata = WrittenMetadata.NONE;

  /**
   * @param physical the columns without metadata
   * @param format one of Flink's; null: arrow
   */
  LakestreamTableSink(
      TableStream stream,
      ReadableConfig options,
      DataType physical,
      EncodingFormat<SerializationSchema<RowData>> format) {
    this.stream = stream;
    this.options = options;
    this.physical = physical;
    this.format = format;
    this.consumed = physical;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requested) {
    return ChangelogMode.insertOnly();
  }

  @Override
  public Map<String, DataType> listWritableMetadata() {
    return WrittenMetadata.keys();
  }

  @Override
  public void applyWritableMetadata(List<String> keys, DataType consumedType) {
    metadata = WrittenMetadata.of(stream.columns().getFieldCount(), keys);
    consumed = consumedType;
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    Mesh mesh = stream.toWrite();
    metadata.checkAgainst(mesh);
    LakestreamSinkBuilder<RowData> builder =
        LakestreamSink.<RowData>builder()
            .path(stream.path())
            .storeOptions(stream.storeOptions())
            .mesh(mesh)
            .schema(stream.schema().toText());
    LakestreamSinkOptions.all().forEach(option -> copy(option, builder));
    TypeSerializer<RowData> serializer = format == null ? serializer(context) : null;
    int fingerprint = fingerprint();
    builder.samples(
        format == null
            ? RowMapper.ofRows(stream.columns(), metadata, mesh, fingerprint, serializer)
            : RowMapper.ofFormat(
                stream.columns(),
                metadata,
                mesh,
                fingerprint,
                format.createRuntimeEncoder(context, physical)));
    builder.assembler(
        Assembly.bySlice(
            rowsPerSlice(),
            new RowEncoding(
                stream.columns(),
                serializer,
                options.get(LakestreamTableOptions.ARROW_DICTIONARIES),
                metadata.placed(),
                fingerprint)));
    try {
      return SinkV2Provider.of(
          builder.build(), options.getOptional(FactoryUtil.SINK_PARALLELISM).orElse(null));
    } catch (IllegalArgumentException e) {
      throw new ValidationException("Table " + stream.name() + ": " + e.getMessage(), e);
    }
  }

  private <T> void copy(ConfigOption<T> option, LakestreamSinkBuilder<RowData> builder) {
    options.getOptional(option).ifPresent(value -> builder.set(option, value));
  }

  private int rowsPerSlice() {
    int rows =
        options
            .getOptional(LakestreamTableOptions.ROWS_PER_SLICE)
            .orElseThrow(
                () ->
                    new ValidationException(
                        "Table "
                            + stream.name()
                            + " cannot be written without '"
                            + LakestreamTableOptions.ROWS_PER_SLICE.key()
                            + "': how many rows a rank gets in each step."));
    if (rows < 1) {
      throw new ValidationException(
          "'"
              + LakestreamTableOptions.ROWS_PER_SLICE.key()
              + "' must be 1 or more, not "
              + rows
              + ".");
    }
    return rows;
  }

  private TypeSerializer<RowData> serializer(Context context) {
    return context
        .<RowData>createTypeInformation(consumed)
        .createSerializer(new SerializerConfigImpl());
  }

  /** Of everything that the bytes of a waiting row depend on. */
  private int fingerprint() {
    CRC32C crc = new CRC32C();
    String text = stream.schema().toText() + consumed.getLogicalType().asSummaryString();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return (int) crc.getValue();
  }

  @Override
  public DynamicTableSink copy() {
    LakestreamTableSink copy = new LakestreamTableSink(stream, options, physical, format);
    copy.consumed = consumed;
    copy.metadata = metadata;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "Lakestream";
  }
}
