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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.sink.LakestreamSinkOptions;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import dev.lakestream.flink.table.arrow.ArrowTypes;
import dev.lakestream.store.StreamAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.format.Format;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.FactoryUtil.TableFactoryHelper;
import org.apache.flink.table.factories.SerializationFormatFactory;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;

/** {@code 'connector' = 'lakestream'}. docs/sql.md says what can be done with it. */
public final class LakestreamTableFactory
    implements DynamicTableSourceFactory, DynamicTableSinkFactory {

  public static final String IDENTIFIER = "lakestream";

  private static final Pattern MESH = Pattern.compile("\\s*(\\d{1,7})\\s*x\\s*(\\d{1,7})\\s*");

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(LakestreamTableOptions.PATH);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    Set<ConfigOption<?>> options = new HashSet<>(LakestreamTableOptions.all());
    options.remove(LakestreamTableOptions.PATH);
    options.addAll(LakestreamSinkOptions.all());
    options.addAll(LakestreamSourceOptions.all());
    options.addAll(StoreTableOptions.all());
    options.add(FactoryUtil.SINK_PARALLELISM);
    options.add(FactoryUtil.SOURCE_PARALLELISM);
    return options;
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    DecodingFormat<DeserializationSchema<RowData>> format =
        isArrow(helper.getOptions())
            ? null
            : helper.discoverDecodingFormat(
                DeserializationFormatFactory.class, LakestreamTableOptions.FORMAT);
    TableStream stream = stream(helper, context, format);
    return new LakestreamTableSource(
        stream,
        helper.getOptions(),
        context.getPhysicalRowDataType(),
        format,
        MetadataNames.of(context.getCatalogTable().getResolvedSchema()),
        Execution.isBatch(context.getConfiguration()));
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    EncodingFormat<SerializationSchema<RowData>> format =
        isArrow(helper.getOptions())
            ? null
            : helper.discoverEncodingFormat(
                SerializationFormatFactory.class, LakestreamTableOptions.FORMAT);
    TableStream stream = stream(helper, context, format);
    return new LakestreamTableSink(
        stream, helper.getOptions(), context.getPhysicalRowDataType(), format);
  }

  private static boolean isArrow(ReadableConfig options) {
    return options.get(LakestreamTableOptions.FORMAT).equals(SliceFormats.ARROW);
  }

  /** Checks everything that can be checked without the stream. */
  private static TableStream stream(TableFactoryHelper helper, Context context, Format format) {
    helper.validateExcept(StoreTableOptions.PREFIXES.toArray(String[]::new));
    ReadableConfig options = helper.getOptions();
    ResolvedCatalogTable table = context.getCatalogTable();
    String name = context.getObjectIdentifier().asSummaryString();
    checkContradictions(options);
    if (!table.getPartitionKeys().isEmpty()) {
      throw new ValidationException(
          "Table "
              + name
              + " is PARTITIONED BY "
              + table.getPartitionKeys()
              + ". A stream has steps and ranks instead: leave the clause out, and filter by the"
              + " metadata columns 'step', 'dp_rank' and 'cp_rank'.");
    }
    RowType columns = (RowType) context.getPhysicalRowDataType().getLogicalType();
    if (format == null) {
      ArrowTypes.schema(columns);
    } else {
      checkInsertOnly(options, format);
    }
    return new TableStream(
        name,
        path(options),
        StoreTableOptions.of(table.getOptions(), context.getConfiguration()),
        mesh(options),
        new StreamSchema(options.get(LakestreamTableOptions.FORMAT), columns));
  }

  private static String path(ReadableConfig options) {
    String path = options.get(LakestreamTableOptions.PATH);
    try {
      StreamAddress.parse(path);
      return path;
    } catch (LakestreamException e) {
      throw new ValidationException("Option 'path': " + e.getMessage(), e);
    }
  }

  private static Mesh mesh(ReadableConfig options) {
    return options
        .getOptional(LakestreamTableOptions.MESH)
        .map(LakestreamTableFactory::parseMesh)
        .orElse(null);
  }

  /**
   * @throws ValidationException if it is not of the form {@code DxC}
   */
  public static Mesh parseMesh(String text) {
    Matcher matcher = MESH.matcher(text);
    if (!matcher.matches()) {
      throw new ValidationException(
          "Option 'mesh' = '" + text + "' must be DxC, for instance '8x2'.");
    }
    try {
      return new Mesh(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    } catch (InvalidBatchException e) {
      throw new ValidationException("Option 'mesh': " + e.getMessage(), e);
    }
  }

  private static void checkInsertOnly(ReadableConfig options, Format format) {
    ChangelogMode mode = format.getChangelogMode();
    if (!mode.containsOnly(RowKind.INSERT)) {
      throw new ValidationException(
          "The format '"
              + options.get(LakestreamTableOptions.FORMAT)
              + "' writes changes ("
              + mode
              + "). A stream of batches takes inserts only: use 'arrow', 'json', 'csv', 'avro' or"
              + " 'raw'.");
    }
  }

  private static void checkContradictions(ReadableConfig options) {
    boolean arrow = isArrow(options);
    boolean dictionaries =
        options.getOptional(LakestreamTableOptions.ARROW_DICTIONARIES).isPresent();
    refuse(
        dictionaries && !arrow,
        LakestreamTableOptions.ARROW_DICTIONARIES,
        "the format '" + options.get(LakestreamTableOptions.FORMAT) + "' has no dictionaries");
    refuse(
        options.getOptional(LakestreamSinkOptions.LINGER).isPresent()
            && options.get(LakestreamSinkOptions.DELIVERY_GUARANTEE)
                != DeliveryGuarantee.AT_LEAST_ONCE,
        LakestreamSinkOptions.LINGER,
        "it takes 'sink.delivery-guarantee' = 'at-least-once'");
    refuse(
        options.getOptional(LakestreamSinkOptions.SHUFFLE_SEED).isPresent()
            && options.getOptional(LakestreamSinkOptions.SHUFFLE_BUFFER).isEmpty(),
        LakestreamSinkOptions.SHUFFLE_SEED,
        "without 'sink.shuffle.buffer' nothing is shuffled");
  }

  private static void refuse(boolean when, ConfigOption<?> option, String why) {
    if (when) {
      throw new ValidationException("Option '" + option.key() + "' is set, but " + why + ".");
    }
  }
}
