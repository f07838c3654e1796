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
package dev.lakestream.commit.pacing;

import java.util.random.RandomGenerator;

/** The pacing policies by name. */
public enum Pacing {
  /**
   * Decentralized Adaptive Commit: the gap follows the measured window and the number of producers.
   * The default.
   */
  DAC {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new DacPacing(DacPacing.Settings.DEFAULT, random);
    }
  },
  /** No gap at all: lowest latency for one producer, a storm of conflicts for many. */
  NAIVE {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new FixedPacing(0);
    }
  },
  /** 10 ms, whatever happens. */
  FIXED_10 {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new FixedPacing(10);
    }
  },
  /** 100 ms, whatever happens. */
  FIXED_100 {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new FixedPacing(100);
    }
  },
  /**
   * A gap that grows by a constant with each loss and falls back to the least with each success.
   */
  INCREMENTAL {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new IncrementalPacing();
    }
  },
  /** Additive increase and multiplicative decrease of the commit rate: a loss doubles the gap. */
  AIMD {
    @Override
    public PacingPolicy create(RandomGenerator random) {
      return new AimdPacing();
    }
  };

  /** A policy for one producer. */
  public abstract PacingPolicy create(RandomGenerator random);
}
