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

/** How far a split has been emitted. */
final class SplitState {

  private final BundleSplit split;
  private int tgb;
  private int rank;
  private long nextRecord;
  private long emitted;

  SplitState(BundleSplit split) {
    this.split = split;
    this.tgb = split.next().tgb();
    this.rank = split.next().rank();
    this.nextRecord = split.next().record();
  }

  void emitted(Emitted<?> record) {
    tgb = record.tgb;
    rank = record.rank;
    nextRecord = record.nextRecord;
    emitted++;
  }

  /** Of those that were to be emitted when it was assigned, by estimate. */
  long pendingRecords() {
    return split.estimatedRecords() - emitted;
  }

  BundleSplit toSplit() {
    return split.at(new SlicePosition(tgb, rank, nextRecord));
  }

  BundleSplit assigned() {
    return split;
  }
}
