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
package dev.lakestream.flink;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ConditionalCreateProbe;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.StoreMetrics;
import dev.lakestream.store.Stores;
import dev.lakestream.store.Time;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.configuration.GlobalConfiguration;

/**
 * Where a stream is and what it is expected to be. Goes into the job graph; opens nothing by
 * itself.
 *
 * @param address for instance {@code file:///data/stream} or {@code s3://bucket/prefix}
 * @param storeOptions may hold secrets, and is therefore left out of {@link #toString}
 * @param dp D, and {@code cp} C; 0: not stated
 * @param sliceFormat null: not stated, and raw in a stream that is created
 * @param schema of a stream that is created, and expected of one that has one; empty: not stated
 * @param create whether an absent stream is created
 */
public record StreamTarget(
    String address,
    Map<String, String> storeOptions,
    int dp,
    int cp,
    String sliceFormat,
    String schema,
    boolean create)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  public StreamTarget {
    storeOptions = new LinkedHashMap<>(storeOptions);
  }

  /** Null: not stated. */
  public Mesh mesh() {
    return dp == 0 ? null : new Mesh(dp, cp);
  }

  /** An open stream. Closing it closes its store. */
  public record Connection(ObjectStore store, TrainingStream stream) implements AutoCloseable {

    /** Refuses a store on which no commit would be safe (invariant I6); some 60 small requests. */
    public void proveStore() {
      ConditionalCreateProbe.check(store);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /**
   * Opens the stream, or creates it if it is absent and that is wanted.
   *
   * @throws StreamNotFoundException if it is absent and not to be created
   * @throws LakestreamException if it is not what is stated here
   */
  public Connection connect() {
    return connect(new StoreMetrics());
  }

  /**
   * The same.
   *
   * @param metrics counts what the requests meet
   */
  public Connection connect(StoreMetrics metrics) {
    ObjectStore store = Stores.open(address, withClusterDefaults(storeOptions), metrics);
    try {
      TrainingStream stream = create ? openOrCreate(store) : TrainingStream.open(store);
      check(stream);
      return new Connection(store, stream);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  private TrainingStream openOrCreate(ObjectStore store) {
    if (mesh() == null) {
      return openOrExplain(store);
    }
    StreamInfo wanted =
        new StreamInfo(
            UUID.randomUUID(),
            Time.SYSTEM.currentTimeMillis(),
            mesh(),
            sliceFormat == null ? SliceFormats.RAW : sliceFormat,
            schema,
            Map.of());
    return TrainingStream.openOrCreate(store, wanted);
  }

  private TrainingStream openOrExplain(ObjectStore store) {
    try {
      return TrainingStream.open(store);
    } catch (StreamNotFoundException e) {
      throw new LakestreamException(
          "There is no stream at "
              + store.address()
              + ", and it cannot be created without a mesh. State one, or create the stream first.",
          e);
    }
  }

  private void check(TrainingStream stream) {
    StreamInfo info = stream.info();
    if (mesh() != null && !mesh().equals(info.defaultMesh())) {
      throw mismatch(stream, "mesh", mesh(), info.defaultMesh());
    }
    boolean schemas = schema != null && !schema.isEmpty() && !info.schema().isEmpty();
    if (schemas && !schema.equals(info.schema())) {
      throw mismatch(stream, "schema", schema, info.schema());
    }
    if (sliceFormat != null && !sliceFormat.equals(info.sliceFormat())) {
      throw mismatch(stream, "slice format", sliceFormat, info.sliceFormat());
    }
  }

  private static LakestreamException mismatch(
      TrainingStream stream, String what, Object stated, Object found) {
    return new LakestreamException(
        "The "
            + what
            + " stated for "
            + stream
            + " is "
            + stated
            + ", and the stream was created with "
            + found
            + ". State "
            + found
            + ", or write to another stream.");
  }

  /** What the cluster's configuration says of S3 holds where the options are silent. */
  private static Map<String, String> withClusterDefaults(Map<String, String> options) {
    Map<String, String> merged = new TreeMap<>();
    GlobalConfiguration.loadConfiguration()
        .toMap()
        .forEach(
            (key, value) -> {
              if (key.startsWith("s3.") || key.startsWith("s3a.") || key.startsWith("fs.s3a.")) {
                merged.put(key, value);
              }
            });
    merged.putAll(options);
    return merged;
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return address + (mesh() == null ? "" : " " + mesh());
  }
}
