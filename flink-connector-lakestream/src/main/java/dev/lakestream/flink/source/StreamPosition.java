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

import java.util.UUID;

/**
 * How far a stream has been turned into splits.
 *
 * @param streamId refused by every other stream (invariant I10)
 * @param version of the newest manifest that was looked at
 * @param commitId of that manifest
 * @param nextStep the first step that is in no split yet; may be past the end of the stream
 */
record StreamPosition(UUID streamId, long version, UUID commitId, long nextStep) {

  StreamPosition withNextStep(long step) {
    return new StreamPosition(streamId, version, commitId, step);
  }
}
