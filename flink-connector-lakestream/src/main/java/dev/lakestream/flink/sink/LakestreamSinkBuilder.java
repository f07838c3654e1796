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
package dev.lakestream.flink.sink;

import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.commit.Claim;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.commit.pacing.Pacing;
import dev.lakestream.flink.StreamTarget;
import dev.lakestream.store.StreamAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * Builds a {@link LakestreamSink}. Needed are a path and either {@link #batches} or {@link
 * #samples} with {@link #assembler} and {@link #mesh}. What is not set has the default of {@link
 * LakestreamSinkOptions}.
 */
public final class LakestreamSinkBuilder<IN> {

  private final Configuration options = new Configuration();
  private final Map<String, String> storeOptions = new LinkedHashMap<>();
  private String path;
  private Mesh mesh;
  private String sliceFormat;
  private String schema = "";
  private BatchMapper<IN> batches;
  private SampleMapper<IN> samples;
  private Assembly assembly;

  LakestreamSinkBuilder() {}

  /** Where the stream is: {@code file:///…}, {@code s3://bucket/…}. */
  public LakestreamSinkBuilder<IN> path(String value) {
    path = value;
    return this;
  }

  /** Of the store, by full name, for instance {@code s3.endpoint}. May hold secrets. */
  public LakestreamSinkBuilder<IN> storeOptions(Map<String, String> values) {
    storeOptions.putAll(values);
    return this;
  }

  /**
   * The shape of the batches. It becomes the stream's when the stream is created, and is checked
   * against it otherwise. Elements that are batches may leave it out, to write batches of any shape
   * to a stream that exists.
   */
  public LakestreamSinkBuilder<IN> mesh(Mesh value) {
    mesh = value;
    return this;
  }

  /** What the bytes of a slice are, for elements that are batches; an assembly has its own. */
  public LakestreamSinkBuilder<IN> sliceFormat(String value) {
    sliceFormat = value;
    return this;
  }

  /** Of the records, in the terms of the slice format; kept when the stream is created. */
  public LakestreamSinkBuilder<IN> schema(String value) {
    schema = value;
    return this;
  }

  /** Elements are global batches. */
  public LakestreamSinkBuilder<IN> batches(BatchMapper<IN> mapper) {
    batches = mapper;
    return this;
  }

  /** Elements are samples, which the sink assembles. */
  public LakestreamSinkBuilder<IN> samples(SampleMapper<IN> mapper) {
    samples = mapper;
    return this;
  }

  /** How samples become batches. */
  public LakestreamSinkBuilder<IN> assembler(Assembly value) {
    assembly = value;
    return this;
  }

  /** Spreads samples over the writers and shuffles them in a buffer of so many in each writer. */
  public LakestreamSinkBuilder<IN> shuffle(long seed, int bufferSamples) {
    return set(LakestreamSinkOptions.SHUFFLE_SEED, seed)
        .set(LakestreamSinkOptions.SHUFFLE_BUFFER, bufferSamples);
  }

  public LakestreamSinkBuilder<IN> producerId(String value) {
    return set(LakestreamSinkOptions.PRODUCER_ID, value);
  }

  public LakestreamSinkBuilder<IN> deliveryGuarantee(DeliveryGuarantee value) {
    return set(LakestreamSinkOptions.DELIVERY_GUARANTEE, value);
  }

  public LakestreamSinkBuilder<IN> onRewind(OnRewind value) {
    return set(LakestreamSinkOptions.ON_REWIND, value);
  }

  public LakestreamSinkBuilder<IN> remainder(RemainderPolicy value) {
    return set(LakestreamSinkOptions.REMAINDER, value);
  }

  public LakestreamSinkBuilder<IN> compression(Compression value) {
    return set(LakestreamSinkOptions.COMPRESSION, value);
  }

  public LakestreamSinkBuilder<IN> bundleMaxSteps(int value) {
    return set(LakestreamSinkOptions.BUNDLE_MAX_STEPS, value);
  }

  /** In bytes. */
  public LakestreamSinkBuilder<IN> bundleTargetSize(long value) {
    return set(LakestreamSinkOptions.BUNDLE_TARGET_SIZE, new MemorySize(value));
  }

  /** In bytes. */
  public LakestreamSinkBuilder<IN> bufferMemory(long value) {
    return set(LakestreamSinkOptions.BUFFER_MEMORY, new MemorySize(value));
  }

  public LakestreamSinkBuilder<IN> uploadParallelism(int value) {
    return set(LakestreamSinkOptions.UPLOAD_PARALLELISM, value);
  }

  public LakestreamSinkBuilder<IN> pacing(Pacing value) {
    return set(LakestreamSinkOptions.COMMIT_PACING, value);
  }

  public LakestreamSinkBuilder<IN> commitTimeout(Duration value) {
    return set(LakestreamSinkOptions.COMMIT_TIMEOUT, value);
  }

  /** In steps; not set: the sink never waits for consumers. */
  public LakestreamSinkBuilder<IN> maxLag(long value) {
    return set(LakestreamSinkOptions.MAX_LAG, value);
  }

  public LakestreamSinkBuilder<IN> linger(Duration value) {
    return set(LakestreamSinkOptions.LINGER, value);
  }

  public LakestreamSinkBuilder<IN> createStream(boolean value) {
    return set(LakestreamSinkOptions.CREATE_STREAM, value);
  }

  /** Any of {@link LakestreamSinkOptions}. */
  public <T> LakestreamSinkBuilder<IN> set(ConfigOption<T> option, T value) {
    options.set(option, value);
    return this;
  }

  /**
   * @throws IllegalArgumentException if something is missing or contradicts itself; the message
   *     says what
   */
  public LakestreamSink<IN> build() {
    require(path != null, "a path is missing: path(\"s3://bucket/stream\")");
    StreamAddress.parse(path);
    require(
        (batches == null) != (samples == null),
        "state either batches(…), for elements that are global batches, or samples(…)");
    SinkConfig config = new SinkConfig(target(), UUID.randomUUID(), new Configuration(options));
    check(config);
    Integer shuffle = config.get(LakestreamSinkOptions.SHUFFLE_BUFFER);
    if (batches != null) {
      require(assembly == null, "an assembler is for samples; these elements are batches");
      require(shuffle == null, "a shuffle is for samples; these elements are batches");
      return new LakestreamSink<>(config, new BatchInput<>(batches), false);
    }
    require(assembly != null, "samples need an assembler: assembler(Assembly.byCount(8))");
    require(mesh != null, "samples need a mesh: mesh(new Mesh(8, 1))");
    require(shuffle == null || shuffle >= 1, "a shuffle buffer holds 1 or more samples");
    assembly.assembler(mesh);
    return new LakestreamSink<>(
        config,
        new SampleInput<>(
            samples,
            assembly,
            shuffle == null ? 0 : shuffle,
            config.get(LakestreamSinkOptions.SHUFFLE_SEED)),
        shuffle != null);
  }

  private StreamTarget target() {
    String format = assembly == null ? sliceFormat : assembly.sliceFormat();
    require(
        sliceFormat == null || sliceFormat.equals(format),
        "the assembler makes slices in the format "
            + format
            + ", and the slice format is stated as "
            + sliceFormat);
    return new StreamTarget(
        path,
        storeOptions,
        mesh == null ? 0 : mesh.dp(),
        mesh == null ? 0 : mesh.cp(),
        format,
        schema,
        options.get(LakestreamSinkOptions.CREATE_STREAM));
  }

  private static void check(SinkConfig config) {
    require(
        config.get(LakestreamSinkOptions.DELIVERY_GUARANTEE) != DeliveryGuarantee.NONE,
        "sink.delivery-guarantee is exactly-once or at-least-once; there is no 'none'");
    config.staging();
    config.lag();
    config.statedProducerId().ifPresent(id -> new Claim(id, config.owner(), "", new Claim.Fresh()));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException("Lakestream sink: " + otherwise + ".");
    }
  }
}
