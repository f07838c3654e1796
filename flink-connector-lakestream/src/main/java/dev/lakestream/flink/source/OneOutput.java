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

import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/**
 * Gives the records of all splits to the reader's main output, and so to one watermark generator.
 * Splits are read one after another in step order, and many are shorter than the interval at which
 * Flink asks for watermarks: with an output each they would take theirs with them unseen, and those
 * that wait for their turn would hold the watermark back.
 */
final class OneOutput<OUT> implements ReaderOutput<OUT> {

  private final ReaderOutput<OUT> main;

  OneOutput(ReaderOutput<OUT> main) {
    this.main = main;
  }

  /** Whether this output stands before that one. */
  boolean isOf(ReaderOutput<OUT> other) {
    return main == other;
  }

  @Override
  public SourceOutput<OUT> createOutputForSplit(String splitId) {
    return main;
  }

  /** Flink makes an output for each split when it is assigned: that one is released. */
  @Override
  public void releaseOutputForSplit(String splitId) {
    main.createOutputForSplit(splitId);
    main.releaseOutputForSplit(splitId);
  }

  @Override
  public void collect(OUT record) {
    main.collect(record);
  }

  @Override
  public void collect(OUT record, long timestamp) {
    main.collect(record, timestamp);
  }

  @Override
  public void emitWatermark(Watermark watermark) {
    main.emitWatermark(watermark);
  }

  @Override
  public void markIdle() {
    main.markIdle();
  }

  @Override
  public void markActive() {
    main.markActive();
  }
}
