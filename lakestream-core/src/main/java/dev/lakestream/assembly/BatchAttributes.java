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
package dev.lakestream.assembly;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The attributes of a batch, as its samples state them. */
final class BatchAttributes {

  private final Map<String, String> values = new HashMap<>();

  /** Who said a value first, for errors. */
  private final Map<String, Long> saidBy = new HashMap<>();

  /**
   * What all of them say together.
   *
   * @throws InvalidSampleException if two contradict each other
   */
  static Map<String, String> of(List<? extends Sample> samples) {
    BatchAttributes batch = new BatchAttributes();
    samples.forEach(batch::add);
    return batch.toMap();
  }

  /**
   * @throws InvalidSampleException if it contradicts another one of the batch; nothing has changed
   */
  void add(Sample sample) {
    sample.attributes().forEach((key, value) -> requireSame(sample, key, value));
    for (Map.Entry<String, String> attribute : sample.attributes().entrySet()) {
      values.put(attribute.getKey(), attribute.getValue());
      saidBy.putIfAbsent(attribute.getKey(), sample.id());
    }
  }

  private void requireSame(Sample sample, String key, String value) {
    String before = values.get(key);
    if (before != null && !before.equals(value)) {
      throw new InvalidSampleException(
          "The attribute \""
              + key
              + "\" is of a whole batch: sample "
              + Sample.idText(saidBy.get(key))
              + " says \""
              + before
              + "\", and sample "
              + Sample.idText(sample.id())
              + " of the same batch \""
              + value
              + "\". Give all samples that may come into one batch the same value, or none (write"
              + " each value by a job of its own); what differs between samples belongs into the"
              + " samples.");
    }
  }

  Map<String, String> toMap() {
    return Map.copyOf(values);
  }
}
