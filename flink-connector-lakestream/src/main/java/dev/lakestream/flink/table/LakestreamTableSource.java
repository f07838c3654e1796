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

import dev.lakestream.flink.source.BoundedMode;
import dev.lakestream.flink.source.LakestreamSource;
import dev.lakestream.flink.source.LakestreamSourceBuilder;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import dev.lakestream.flink.source.ReadFilter;
import dev.lakestream.flink.source.SliceDeserializer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.Projection;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsAggregatePushDown;
import org.apache.flink.table.connector.source.abilities.SupportsFilterPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsLimitPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.connector.source.abilities.SupportsStatisticReport;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.expressions.AggregateExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.plan.stats.TableStats;
import org.apache.flink.table.types.DataType;

/** SELECT from a stream. What is pushed down changes what is read, and never the answer. */
final class LakestreamTableSource
    implements ScanTableSource,
        SupportsReadingMetadata,
        SupportsProjectionPushDown,
        SupportsFilterPushDown,
        SupportsLimitPushDown,
        SupportsAggregatePushDown,
        SupportsWatermarkPushDown,
        SupportsStatisticReport {

  private final TableStream stream;
  private final ReadableConfig options;
  private final DataType physical;
  private final DecodingFormat<DeserializationSchema<RowData>> format;
  private final MetadataNames names;
  private final boolean batch;

  private int[][] projection;
  private List<MetadataKey> metadata = List.of();
  private DataType produced;
  private ReadFilter filter = ReadFilter.ALL;
  private Long limit;
  private int counts;
  private WatermarkStrategy<RowData> watermarks;

  /**
   * @param physical the columns without metadata
   * @param format one of Flink's; null: arrow
   * @param names of metadata columns in filters
   * @param batch whether the query is executed in batch mode
   */
  LakestreamTableSource(
      TableStream stream,
      ReadableConfig options,
      DataType physical,
      DecodingFormat<DeserializationSchema<RowData>> format,
      MetadataNames names,
      boolean batch) {
    this.stream = stream;
    this.options = options;
    this.physical = physical;
    this.format = format;
    this.names = names;
    this.batch = batch;
    this.projection = Projection.all(physical).toNestedIndexes();
    this.produced = physical;
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public Map<String, DataType> listReadableMetadata() {
    return MetadataKey.types();
  }

  @Override
  public void applyReadableMetadata(List<String> keys, DataType producedType) {
    metadata = keys.stream().map(key -> MetadataKey.find(key).orElseThrow()).toList();
    produced = producedType;
  }

  /** A format of Flink's decodes whole columns. */
  @Override
  public boolean supportsNestedProjection() {
    return format == null;
  }

  @Override
  public void applyProjection(int[][] fields, DataType producedType) {
    projection = fields;
    produced = producedType;
  }

  @Override
  public Result applyFilters(List<ResolvedExpression> filters) {
    FilterTranslation translated = FilterTranslation.of(filters, names);
    filter = translated.filter();
    return Result.of(translated.used(), filters);
  }

  @Override
  public void applyLimit(long rows) {
    limit = rows;
  }

  /** Counts all rows, and nothing else: that needs no bytes of slices. */
  @Override
  public boolean applyAggregates(
      List<int[]> groupings, List<AggregateExpression> aggregates, DataType producedType) {
    boolean ungrouped = groupings.size() == 1 && groupings.get(0).length == 0;
    if (!ungrouped || !aggregates.stream().allMatch(LakestreamTableSource::countsRows)) {
      return false;
    }
    counts = aggregates.size();
    produced = producedType;
    return true;
  }

  /** The planner's function for COUNT(*) is not among the classes that connectors see. */
  private static boolean countsRows(AggregateExpression aggregate) {
    String function = aggregate.getFunctionDefinition().getClass().getSimpleName();
    return function.equals("Count1AggFunction")
        && !aggregate.isDistinct()
        && aggregate.getFilterExpression().isEmpty();
  }

  @Override
  public void applyWatermark(WatermarkStrategy<RowData> strategy) {
    watermarks = strategy;
  }

  @Override
  public TableStats reportStatistics() {
    return stream
        .manifest()
        .map(manifest -> RowEstimate.of(manifest, options, filter))
        .map(TableStats::new)
        .orElse(TableStats.UNKNOWN);
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    stream.toRead();
    LakestreamSource<RowData> source = source(context);
    Integer parallelism = options.getOptional(FactoryUtil.SOURCE_PARALLELISM).orElse(null);
    return watermarks == null
        ? SourceProvider.of(source, parallelism)
        : new WithWatermarks(source, watermarks, parallelism);
  }

  private LakestreamSource<RowData> source(ScanContext context) {
    LakestreamSourceBuilder<RowData> builder =
        LakestreamSource.<RowData>builder()
            .path(stream.path())
            .storeOptions(stream.storeOptions())
            .deserializer(deserializer(context))
            .filter(filter);
    LakestreamSourceOptions.all().forEach(option -> copy(option, builder));
    if (batch && options.getOptional(LakestreamSourceOptions.BOUNDED_MODE).isEmpty()) {
      builder.boundedBy(BoundedMode.latest());
    }
    if (limit != null) {
      builder.limit(limit);
    }
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new ValidationException("Table " + stream.name() + ": " + e.getMessage(), e);
    }
  }

  private <T> void copy(ConfigOption<T> option, LakestreamSourceBuilder<RowData> builder) {
    options.getOptional(option).ifPresent(value -> builder.set(option, value));
  }

  private SliceDeserializer<RowData> deserializer(ScanContext context) {
    TypeInformation<RowData> type = context.createTypeInformation(produced);
    if (counts > 0) {
      return new CountRows(counts, type);
    }
    RowShape shape = new RowShape(projection.length, metadata, type);
    if (projection.length == 0) {
      return new MetadataRows(shape);
    }
    return format == null
        ? new ArrowRows(stream.columns(), projection, shape)
        : FormatRows.of(format, context, physical, projection, shape);
  }

  /** One watermark for each reader. */
  private record WithWatermarks(
      LakestreamSource<RowData> source, WatermarkStrategy<RowData> strategy, Integer parallelism)
      implements DataStreamScanProvider {

    @Override
    public DataStream<RowData> produceDataStream(
        ProviderContext provider, StreamExecutionEnvironment environment) {
      DataStreamSource<RowData> stream = environment.fromSource(source, strategy, "Lakestream");
      provider.generateUid("lakestream").ifPresent(stream::uid);
      return stream;
    }

    @Override
    public boolean isBounded() {
      return source.getBoundedness() == Boundedness.BOUNDED;
    }

    @Override
    public Optional<Integer> getParallelism() {
      return Optional.ofNullable(parallelism);
    }
  }

  @Override
  public DynamicTableSource copy() {
    LakestreamTableSource copy =
        new LakestreamTableSource(stream, options, physical, format, names, batch);
    copy.projection = Arrays.stream(projection).map(int[]::clone).toArray(int[][]::new);
    copy.metadata = new ArrayList<>(metadata);
    copy.produced = produced;
    copy.filter = filter;
    copy.limit = limit;
    copy.counts = counts;
    copy.watermarks = watermarks;
    return copy;
  }

  @Override
  public String asSummaryString() {
    return "Lakestream";
  }
}
