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
package dev.lakestream.flink.table;

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.source.LakestreamSourceOptions;
import dev.lakestream.flink.source.LongRanges;
import dev.lakestream.flink.source.ReadFilter;
import dev.lakestream.manifest.Manifest;
import org.apache.flink.configuration.ReadableConfig;

/** About how many rows a query reads, by the newest manifest alone: for the planner. */
final class RowEstimate {

  private RowEstimate() {}

  static long of(Manifest manifest, ReadableConfig options, ReadFilter filter) {
    if (manifest.steps() == 0) {
      return 0;
    }
    long from =
        Math.max(
            manifest.firstStep(),
            options.getOptional(LakestreamSourceOptions.STARTUP_STEP).orElse(0L));
    long to =
        Math.min(
            manifest.nextStep(),
            options.getOptional(LakestreamSourceOptions.BOUNDED_STEP).orElse(Long.MAX_VALUE));
    double steps = filter.steps().within(from, to).count();
    double all = manifest.nextStep();
    return Math.round(manifest.totalRecords() * (steps / all) * ranks(manifest, filter));
  }

  /** What part of the newest mesh is wanted. */
  private static double ranks(Manifest manifest, ReadFilter filter) {
    if (manifest.tail().isEmpty()) {
      return 1;
    }
    Mesh mesh = manifest.tail().get(manifest.tail().size() - 1).bundle().mesh();
    return share(filter.dpRanks(), mesh.dp()) * share(filter.cpRanks(), mesh.cp());
  }

  private static double share(LongRanges wanted, int all) {
    return wanted.within(0, all).count() / (double) all;
  }
}
