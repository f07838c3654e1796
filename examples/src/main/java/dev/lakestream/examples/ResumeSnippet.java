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
package dev.lakestream.examples;

import dev.lakestream.batch.Slice;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.consumer.ReaderSettings;
import dev.lakestream.consumer.topology.ReadMode;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;

/** A training loop that saves where it stands, and goes on from there with any number of ranks. */
final class ResumeSnippet {

  /** Stands for the model. */
  interface Model {
    void train(Slice slice);

    /** Keeps the parameters together with the cursor. */
    void save(String cursor);
  }

  private ResumeSnippet() {}

  /**
   * @param saved the cursor of the checkpoint that the model was restored from; empty: none
   * @param steps so many are trained
   */
  static void train(
      ObjectStore store,
      RankPosition position,
      String saved,
      Model model,
      long steps,
      long checkpointInterval) {
    // README:begin
    TrainingStream stream = TrainingStream.open(store);
    ReaderSettings settings = ReaderSettings.DEFAULT.withMode(ReadMode.ROWS);
    RankReader reader =
        saved.isEmpty()
            ? RankReader.open(stream, position, settings)
            : RankReader.resume(stream, position, Cursor.parse(saved), settings);
    try (reader) {
      for (long trained = 1; trained <= steps; trained++) {
        RankStep step = reader.next();
        model.train(step.slice());
        reader.acknowledge(step);
        if (trained % checkpointInterval == 0) {
          model.save(reader.acknowledged().toText());
        }
      }
      System.out.println(reader.whereTimeWent());
    }
    // README:end
  }
}
