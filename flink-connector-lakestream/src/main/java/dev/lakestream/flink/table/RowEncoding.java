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
import dev.lakestream.assembly.SliceEncoder;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.flink.sink.SliceEncoding;
import dev.lakestream.flink.table.arrow.ArrowSliceWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * How the rows of a table become slices.
 *
 * @param columns the physical ones: the leading fields of the rows
 * @param serializer of whole rows, as they wait for their batch; null: rows wait encoded by one of
 *     Flink's formats
 * @param dictionaries whether values that repeat are written once
 * @param placed whether rows say which slice they go to
 * @param fingerprint of the schema, so that rows of another one in restored state are noticed
 */
record RowEncoding(
    RowType columns,
    TypeSerializer<RowData> serializer,
    boolean dictionaries,
    boolean placed,
    int fingerprint)
    implements SliceEncoding {

  private static final long serialVersionUID = 1L;

  @Override
  public String sliceFormat() {
    return serializer == null ? SliceFormats.RECORDS : SliceFormats.ARROW;
  }

  @Override
  public SliceEncoder encoder() {
    return serializer == null ? new Records() : new Arrow();
  }

  private abstract class Rows implements SliceEncoder {

    @Override
    public OptionalInt sliceOf(Sample.Bytes sample) {
      return OptionalInt.of(RowPayload.slice(sample.payload()));
    }

    @Override
    public void check(Sample.Bytes sample) {
      if (sample.bytes() < RowPayload.HEADER_LENGTH
          || RowPayload.fingerprint(sample.payload()) != fingerprint) {
        throw new InvalidSampleException(
            "A row in restored state was written for a table of other columns or of another"
                + " format. Let the old job end with stop-with-savepoint --drain before the table"
                + " changes, or restore with the table as it was.");
      }
    }
  }

  private final class Records extends Rows {
    @Override
    public ByteBuffer encode(List<Sample.Bytes> samples) {
      return RecordSlice.encode(
          samples.stream().map(sample -> RowPayload.content(sample.payload())).toList());
    }
  }

  private final class Arrow extends Rows {
    private final ArrowSliceWriter writer = new ArrowSliceWriter(columns, dictionaries);
    private final TypeSerializer<RowData> rows = serializer.duplicate();

    @Override
    public ByteBuffer encode(List<Sample.Bytes> samples) {
      return writer.write(samples.stream().map(this::row).toList());
    }

    private RowData row(Sample.Bytes sample) {
      try {
        return rows.deserialize(new DataInputDeserializer(RowPayload.content(sample.payload())));
      } catch (IOException e) {
        throw new UncheckedIOException("A row that waits for its batch cannot be read.", e);
      }
    }
  }
}
