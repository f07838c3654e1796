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

import dev.lakestream.flink.source.RecordIterator;
import dev.lakestream.flink.source.SliceDeserializer;
import dev.lakestream.flink.source.SliceMetadata;
import java.nio.ByteBuffer;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;

/**
 * How many rows there are, as partial counts that the query adds up: one row for each step or
 * slice, whose bytes are not read.
 *
 * @param counts how many columns hold the count
 */
record CountRows(int counts, TypeInformation<RowData> type) implements SliceDeserializer<RowData> {

  private static final long serialVersionUID = 1L;

  @Override
  public Needs needs() {
    return Needs.STEPS;
  }

  @Override
  public RecordIterator<RowData> read(SliceMetadata slice, ByteBuffer bytes, long from) {
    return new RecordIterator<>() {
      private boolean done = from > 0;

      @Override
      public boolean advance() {
        boolean first = !done;
        done = true;
        return first;
      }

      @Override
      public RowData record() {
        GenericRowData row = new GenericRowData(counts);
        for (int i = 0; i < counts; i++) {
          row.setField(i, (long) slice.records());
        }
        return row;
      }

      @Override
      public long index() {
        return 0;
      }
    };
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return type;
  }
}
