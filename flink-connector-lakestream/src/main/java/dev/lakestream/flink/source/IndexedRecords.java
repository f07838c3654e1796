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

/** Records that are found by their index. */
final class IndexedRecords<OUT> implements RecordIterator<OUT> {

  /** Makes the record with an index. */
  interface ByIndex<OUT> {
    OUT get(int index) throws IOException;
  }

  private final int count;
  private final ByIndex<OUT> records;
  private int index;

  IndexedRecords(long from, int count, ByIndex<OUT> records) {
    this.count = count;
    this.records = records;
    this.index = (int) Math.min(from, count) - 1;
  }

  @Override
  public boolean advance() {
    index++;
    return index < count;
  }

  @Override
  public OUT record() throws IOException {
    return records.get(index);
  }

  @Override
  public long index() {
    return index;
  }
}
