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

import org.apache.flink.api.common.functions.RichMapFunction;

/** Says which task a record came from. */
final class TaskTag extends RichMapFunction<String, String> {

  private static final long serialVersionUID = 1L;

  @Override
  public String map(String record) {
    return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask() + "|" + record;
  }

  static String task(String tagged) {
    return tagged.substring(0, tagged.indexOf('|'));
  }

  static String text(String tagged) {
    return tagged.substring(tagged.indexOf('|') + 1);
  }
}
