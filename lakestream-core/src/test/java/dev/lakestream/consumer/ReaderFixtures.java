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

import dev.lakestream.consumer.topology.ReadMode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What tests of readers share. */
final class ReaderFixtures {

  static final Duration LONG = Duration.ofSeconds(20);
  static final Duration SHORT = Duration.ofMillis(150);

  /** Polls often, so that tests do not wait. */
  static final ReaderSettings EAGER =
      ReaderSettings.DEFAULT
          .withPolling(Duration.ofMillis(5), Duration.ofSeconds(30))
          .withTimeout(LONG);

  /** The modes of another mesh than that of the stream. */
  static final ReaderSettings ROWS = EAGER.withMode(ReadMode.ROWS);

  static final ReaderSettings BATCH = EAGER.withMode(ReadMode.BATCH);

  private ReaderFixtures() {}

  static RankReader reader(WrittenStream written, int dp, int cp, int d, int c) {
    return RankReader.open(written.stream(), RankPosition.of(dp, cp, d, c), EAGER);
  }

  static List<ByteBuffer> read(RankReader reader, long steps) {
    List<ByteBuffer> slices = new ArrayList<>();
    for (long i = 0; i < steps; i++) {
      slices.add(reader.next().slice().bytes().duplicate());
    }
    return slices;
  }

  static List<ByteBuffer> expected(long from, long to, int d, int c) {
    List<ByteBuffer> slices = new ArrayList<>();
    for (long step = from; step < to; step++) {
      slices.add(WrittenStream.unevenSlice(step, d, c).bytes());
    }
    return slices;
  }
}
