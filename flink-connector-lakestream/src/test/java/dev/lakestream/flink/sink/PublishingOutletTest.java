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
import static org.awaitility.Awaitility.await;

import dev.lakestream.producer.Producer;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.store.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class PublishingOutletTest extends OutletContract {

  private Duration linger = Duration.ofDays(1);

  @Override
  Outlet open(StagingSettings settings) {
    Producer producer = Producer.builder(stream, "writer").staging(settings).linger(linger).build();
    return new PublishingOutlet(producer, mailbox, "0");
  }

  @Test
  void whatWasAddedIsInTheStreamAfterAFlushInTheOrderOfItsSteps() throws Exception {
    Outlet outlet = outlet(2, 2);
    for (int i = 1; i <= 5; i++) {
      outlet.add(batch(i), 0);
    }

    assertThat(outlet.flush()).isEmpty();
    assertThat(stream.history(stream.log().newest()).bundles(0, Integer.MAX_VALUE))
        .extracting(descriptor -> descriptor.bundle().records())
        .containsExactly(3L, 7L, 5L);
    assertThat(outlet.unpublishedSteps(0)).isZero();
  }

  /** The open bundle is due, and its upload would have to wait for one that does not end. */
  @Test
  void aBundleThatLingersBehindAStalledUploadHoldsUpNothingElse() throws Exception {
    List<CompletableFuture<Void>> uploads = stalledUploads();
    linger = Duration.ZERO;
    Outlet outlet = outlet(2, 1);
    CompletableFuture<Void> reply = new CompletableFuture<>();
    AtomicBoolean committing = new AtomicBoolean();
    store
        .on(Op.CREATE, key -> key.startsWith("manifest/"))
        .times(1)
        .answer(
            request -> {
              committing.set(true);
              return reply.thenCompose(ignored -> request.proceed());
            });
    outlet.add(batch(), 0);
    await().until(() -> uploads.size() == 1);
    uploads.get(0).complete(null);
    await().untilTrue(committing);
    outlet.add(batch(), 0);
    outlet.add(batch(), 0); // the second upload, which stalls
    outlet.add(batch(), 0); // open, and due as soon as the commit is done
    reply.complete(null);
    await().until(() -> outlet.unpublishedSteps(0) == 3);

    outlet.add(batch(), 0);

    assertThat(outlet.unpublishedSteps(0)).isEqualTo(4);
    uploads.get(1).complete(null);
    await().until(() -> uploads.size() == 3);
    uploads.get(2).complete(null);
    outlet.flush();
    assertThat(stream.log().newest().nextStep()).isEqualTo(5);
  }
}
