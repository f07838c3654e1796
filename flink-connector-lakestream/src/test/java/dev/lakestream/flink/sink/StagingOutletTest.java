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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.producer.BundleStager;
import dev.lakestream.producer.StagingSettings;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StagingOutletTest extends OutletContract {

  @Override
  Outlet open(StagingSettings settings) {
    return new StagingOutlet(new BundleStager(stream, settings, UUID.randomUUID(), 0, 0), mailbox);
  }

  @Test
  void eachBundleIsHandedOverOnce() throws Exception {
    Outlet outlet = outlet(1, 100);
    for (int i = 0; i < 50; i++) {
      outlet.add(batch(), 0);
    }

    assertThat(outlet.flush()).hasSize(50).doesNotHaveDuplicates();
    assertThat(outlet.flush()).isEmpty();
  }

  @Test
  void bundlesComeInTheOrderOfTheirStepsWhicheverUploadEndsFirst() throws Exception {
    List<CompletableFuture<Void>> turns = stalledUploads();
    Outlet outlet = outlet(1, 10);
    for (int i = 1; i <= 3; i++) {
      outlet.add(batch(i), 0);
    }
    turns.get(2).complete(null);
    turns.get(0).complete(null);
    turns.get(1).complete(null);

    assertThat(outlet.flush()).extracting(StagedBundle::records).containsExactly(1L, 2L, 3L);
  }
}
