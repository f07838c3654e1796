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

import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.RankLayout;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.consumer.RankStep;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.Map;

/** Reading a stream in a training loop, as the README shows it. */
final class RankLoopSnippet {

  /** Stands for the model. */
  interface Model {

    /**
     * One sequence: tokens, the token to predict for each, its position in its document, and where
     * documents begin, for attention.
     */
    void train(int[] tokens, int[] targets, int[] positions, int[] cuSeqlens);
  }

  private RankLoopSnippet() {}

  /**
   * @param environment holds RANK and WORLD_SIZE
   * @param steps so many are trained
   * @return to be kept with the model
   */
  static Cursor train(String address, Map<String, String> environment, Model model, long steps) {
    // README:begin
    RankPosition position = RankLayout.fromEnvironment(environment, 1, 2, 1); // TP 1, CP 2, PP 1
    try (ObjectStore store = Stores.open(address, Map.of());
        RankReader reader = RankReader.open(store, position)) {
      for (long trained = 0; trained < steps; trained++) {
        RankStep step = reader.next(); // this rank's slice only; waits for the step to be published
        TokenSlice slice = TokenSlice.decode(step.slice().bytes());
        for (int i = 0; i < slice.count(); i++) {
          model.train(slice.tokens(i), slice.targets(i), slice.positions(i), slice.cuSeqlens(i));
        }
      }
      return reader.cursor(); // goes into the model checkpoint; RankReader.resume goes on from it
    }
    // README:end
  }
}
