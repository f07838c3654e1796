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

import org.apache.flink.api.common.functions.MapFunction;

/** Takes its time, so that a job is still at work when a test acts on it. */
final class Slow implements MapFunction<String, String> {

  private static final long serialVersionUID = 1L;

  private final int recordsPerMillisecond;
  private int seen;

  Slow(int recordsPerMillisecond) {
    this.recordsPerMillisecond = recordsPerMillisecond;
  }

  @Override
  public String map(String record) throws Exception {
    if (++seen % recordsPerMillisecond == 0) {
      Thread.sleep(1);
    }
    return record;
  }
}
