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
package dev.lakestream.manifest;

import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Bundles that nobody has written, for tests that look at descriptors alone. */
public final class Bundles {

  private Bundles() {}

  /** K steps of a 2x1 mesh. */
  public static StagedBundle of(UUID owner, int steps) {
    return of(owner, new UUID(0, 0), steps);
  }

  /** The same with a name that tells it from others. */
  public static StagedBundle of(UUID owner, UUID id, int steps) {
    return new StagedBundle(
        new BundleName(owner, 0, 0, id).object(),
        1_000_000,
        999_000,
        980,
        steps,
        new Mesh(2, 1),
        steps * 100L,
        steps * 1000L,
        null,
        0,
        Map.of());
  }

  /** Anything that a bundle may be. */
  static StagedBundle random(Random random) {
    long min = random.nextLong(1L << 42) - (1L << 41);
    int steps = 1 + random.nextInt(random.nextInt(10) == 0 ? 1000 : 3);
    return new StagedBundle(
        new BundleName(
                new UUID(random.nextLong(), random.nextLong()),
                random.nextInt(1000),
                random.nextInt(8),
                new UUID(random.nextLong(), random.nextLong()))
            .object(),
        random.nextLong(1L << 40),
        random.nextLong(1L << 40),
        random.nextInt(1 << 20),
        steps,
        new Mesh(1 + random.nextInt(16), 1 + random.nextInt(4)),
        random.nextLong(1L << 30),
        random.nextLong(1L << 40),
        random.nextBoolean() ? null : new EventTimeRange(min, min + random.nextInt(100_000)),
        random.nextBoolean() ? 0 : random.nextLong(1L << 30),
        random.nextInt(4) == 0 ? Map.of("b", "2", "a", "1", "µ", "ü") : Map.of());
  }
}
