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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.producer.Producer;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.util.List;
import java.util.Map;

/** Writing a stream without Flink, as the documentation shows it. */
final class ProducerSnippet {

  private ProducerSnippet() {}

  /**
   * Appends what is not in the stream yet.
   *
   * @param batches the whole input; a restart begins with the first one that was not published
   */
  static void write(String address, List<GlobalBatch> batches) {
    // README:begin
    try (ObjectStore store = Stores.open(address, Map.of())) {
      StreamInfo wanted = StreamInfo.create(new Mesh(2, 1), SliceFormats.RECORDS);
      TrainingStream stream = TrainingStream.openOrCreate(store, wanted);
      try (Producer producer = Producer.builder(stream, "crawl").build()) {
        String resume = producer.resumePosition().toStringUtf8(); // empty: nothing published yet
        for (int i = resume.isEmpty() ? 0 : Integer.parseInt(resume); i < batches.size(); i++) {
          producer.append(batches.get(i), ByteString.copyFromUtf8(String.valueOf(i + 1)));
        }
      } // close publishes what is left
    }
    // README:end
  }
}
