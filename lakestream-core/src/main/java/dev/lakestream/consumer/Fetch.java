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
package dev.lakestream.consumer;

import dev.lakestream.batch.RankSection;
import dev.lakestream.manifest.BundleDescriptor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Some consecutive consumer steps from one bundle, under way or here.
 *
 * @param bundle that holds them
 * @param version of the manifest in which the bundle was found
 * @param steps one or more, in order
 * @param bytes that it holds in memory, or will
 * @param sections of the bundle, by number, with the slices that the steps need
 */
record Fetch(
    BundleDescriptor bundle,
    long version,
    List<PlannedStep> steps,
    long bytes,
    CompletableFuture<Map<Integer, RankSection>> sections) {

  /** Where the reader stands when it has taken all of them. */
  Stand next() {
    return steps.get(steps.size() - 1).next();
  }
}
