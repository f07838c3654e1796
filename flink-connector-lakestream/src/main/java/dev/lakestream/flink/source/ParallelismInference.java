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

import dev.lakestream.manifest.BundleDescriptor;
import java.util.OptionalLong;

/** How many readers a bounded source can keep busy. */
final class ParallelismInference {

  private ParallelismInference() {}

  /** 1 to {@code limit}. Looks at {@code limit} bundles at most. */
  static int infer(Discovery discovery, SourceConfig config, int limit) {
    if (config.order() == ReadOrder.GLOBAL) {
      return 1;
    }
    if (config.order() == ReadOrder.SLICE) {
      int slices = config.ranksOf(discovery.stream().info().defaultMesh()).count();
      return Math.max(1, Math.min(limit, slices));
    }
    StreamPosition start = discovery.start();
    OptionalLong end = discovery.end();
    long splitSize = config.get(LakestreamSourceOptions.SPLIT_SIZE).getBytes();
    long splits = 0;
    for (BundleDescriptor bundle : discovery.next(start, end, limit).bundles()) {
      RankSet ranks = config.ranksOf(bundle.bundle().mesh());
      if (!ranks.isEmpty()) {
        BundleSplit split = BundleSplit.of(bundle, ranks, 0, bundle.bundle().tgbCount());
        splits += SplitQueue.parts(split, splitSize);
      }
    }
    return (int) Math.max(1, Math.min(limit, splits));
  }
}
