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
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Stores;
import dev.lakestream.store.StreamAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.ExceptionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream behind a table, while a query is planned.
 *
 * <p>What the store says then is a courtesy: it finds contradictions before a job starts. When the
 * store cannot be reached from here, or the stream does not exist yet, planning goes on, and the
 * running job makes the same checks. What is wrong wherever the job runs is refused.
 *
 * @param name of the table, for messages
 * @param storeOptions may hold secrets, and are therefore left out of {@link #toString}
 * @param stated null: no mesh is stated
 * @param schema what the table declares
 */
record TableStream(
    String name, String path, Map<String, String> storeOptions, Mesh stated, StreamSchema schema) {

  private static final Logger LOG = LoggerFactory.getLogger(TableStream.class);

  /** Planning does not wait longer for a store. */
  private static final Map<String, String> IMPATIENT = Map.of("retry.max-elapsed", "5 s");

  /** Formats whose records name their fields, so that a table may declare some of them. */
  private static final List<String> BY_NAME = List.of("arrow", "json");

  RowType columns() {
    return schema.columns();
  }

  boolean isArrow() {
    return schema.format().equals(SliceFormats.ARROW);
  }

  /** The slice format of the stream. */
  String sliceFormat() {
    return isArrow() ? SliceFormats.ARROW : SliceFormats.RECORDS;
  }

  /** What the stream is; empty if that cannot be said now. */
  Optional<StreamInfo> info() {
    return ask(TrainingStream::info);
  }

  /** The newest manifest; empty if that cannot be said now. */
  Optional<Manifest> manifest() {
    return ask(stream -> stream.log().newest());
  }

  private <T> Optional<T> ask(Function<TrainingStream, T> question) {
    Map<String, String> options = new HashMap<>(IMPATIENT);
    options.putAll(storeOptions);
    try (ObjectStore store = Stores.open(path, options)) {
      return Optional.of(question.apply(TrainingStream.open(store)));
    } catch (StreamNotFoundException e) {
      return Optional.empty();
    } catch (StoreException e) {
      if (isWrongEverywhere(e)) {
        throw new ValidationException("Table " + name + ": " + e.getMessage(), e);
      }
      LOG.warn("The stream of table {} cannot be looked at while planning", name, e);
      return Optional.empty();
    }
  }

  /**
   * Options that are invalid by themselves, and a bucket that its store does not know. Names of
   * hosts, directories, and what the environment says of S3 may be others where the job runs.
   */
  private boolean isWrongEverywhere(StoreException e) {
    return switch (e.fault()) {
      case INVALID -> e.getCause() == null;
      case NO_SUCH_STORE ->
          !StreamAddress.parse(path).scheme().equals("file")
              && ExceptionUtils.findThrowable(e, UnknownHostException.class).isEmpty();
      default -> false;
    };
  }

  /**
   * The mesh to write batches of.
   *
   * @throws ValidationException if the table contradicts the stream, or if there is no mesh
   */
  Mesh toWrite() {
    Optional<StreamInfo> info = info();
    info.ifPresent(found -> check(found, true));
    if (stated != null) {
      return stated;
    }
    return info.map(StreamInfo::defaultMesh)
        .orElseThrow(
            () ->
                new ValidationException(
                    "Table "
                        + name
                        + " states no 'mesh', and there is no stream at "
                        + path
                        + " whose it would be. Set 'mesh', for instance to '8x1': 8 data-parallel"
                        + " replicas."));
  }

  /**
   * @throws ValidationException if the table contradicts the stream
   */
  void toRead() {
    info().ifPresent(found -> check(found, false));
  }

  private void check(StreamInfo info, boolean writes) {
    if (stated != null && writes && !stated.equals(info.defaultMesh())) {
      throw mismatch("a mesh of " + stated, "one of " + info.defaultMesh());
    }
    if (!sliceFormat().equals(info.sliceFormat())) {
      throw mismatch(
          "the format '" + schema.format() + "'", "the slice format '" + info.sliceFormat() + "'");
    }
    if (info.schema().isEmpty() || info.schema().equals(schema.toText())) {
      return;
    }
    StreamSchema kept;
    try {
      kept = StreamSchema.parse(info.schema(), TableStream.class.getClassLoader(), "the stream");
    } catch (LakestreamException e) {
      throw new ValidationException("Table " + name + ": " + e.getMessage(), e);
    }
    if (!kept.format().equals(schema.format())) {
      throw mismatch("the format '" + schema.format() + "'", "the format '" + kept.format() + "'");
    }
    if (writes || !BY_NAME.contains(schema.format()) || !holdsAll(kept.columns())) {
      throw mismatch(
          "the columns " + columns().asSummaryString(), kept.columns().asSummaryString());
    }
  }

  /** Whether every declared column is there; to be read it may be nullable where it was not. */
  private boolean holdsAll(RowType kept) {
    return columns().getFields().stream()
        .allMatch(
            column ->
                kept.getFields().stream()
                    .anyMatch(
                        other ->
                            other.getName().equals(column.getName())
                                && other
                                    .getType()
                                    .copy(column.getType().isNullable())
                                    .equals(column.getType())
                                && (column.getType().isNullable()
                                    || !other.getType().isNullable())));
  }

  private ValidationException mismatch(String declared, String found) {
    return new ValidationException(
        "Table "
            + name
            + " declares "
            + declared
            + ", and the stream at "
            + path
            + " was created with "
            + found
            + ". Declare what the stream has, or use another path.");
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return name + " at " + path;
  }
}
