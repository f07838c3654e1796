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

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decentralized Adaptive Commit ([L] Algorithm 1, equations 2–10). With τ the moving average of the
 * fragile window and N active producers, the gap is {@code max(T_conf, T_cost) · (1 + ρ·U)}:
 *
 * <ul>
 *   <li>{@code T_conf = max(0, (N−1)·τ / −ln(1−ε) − τ)} keeps the chance that another producer
 *       commits inside the window at ε;
 *   <li>{@code T_cost = (1−δ)/δ · τ} keeps the share of time spent committing at δ;
 *   <li>U is uniform in [0, 1) and breaks ties.
 * </ul>
 *
 * N counts the producers that were active lately and τ forgets, so the gap comes back down when
 * contention ends.
 *
 * <p>The equations assume that all windows are alike. A producer with a far longer one than the
 * others (a distant region) loses most of its attempts, and would wait longest between them. So
 * from the second loss in a row on, each loss halves the gap, and what is less than a window is
 * none at all: who loses becomes eager. That costs no progress, because somebody else has published
 * each time.
 */
final class DacPacing implements PacingPolicy {

  /**
   * @param alpha weight of the newest window in the moving average, in (0, 1]
   * @param epsilon the chance of a conflict that is accepted, in (0, 1)
   * @param delta the share of time that committing may take, in (0, 1)
   * @param rho the width of the jitter, 0 or more
   * @param longest bounds the gap, so that one slow request cannot stop a producer for long
   */
  record Settings(double alpha, double epsilon, double delta, double rho, Duration longest) {

    static final Settings DEFAULT = new Settings(0.2, 0.2, 0.1, 0.2, Duration.ofSeconds(30));
  }

  private static final int MOST_HALVINGS = 30;

  private final Settings settings;
  private final RandomGenerator random;
  private double windowNanos = Double.NaN;
  private int lossesInARow;

  DacPacing(Settings settings, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
  }

  @Override
  public Duration afterAttempt(Attempt attempt) {
    double measured = attempt.window().toNanos();
    windowNanos =
        Double.isNaN(windowNanos)
            ? measured
            : settings.alpha * measured + (1 - settings.alpha) * windowNanos;
    double others = Math.max(0, attempt.activeProducers() - 1);
    double conflict =
        Math.max(0, others * windowNanos / -Math.log(1 - settings.epsilon) - windowNanos);
    double cost = (1 - settings.delta) / settings.delta * windowNanos;
    lossesInARow = attempt.won() ? 0 : lossesInARow + 1;
    double gap =
        Math.scalb(
                Math.max(conflict, cost), -Math.min(MOST_HALVINGS, Math.max(0, lossesInARow - 1)))
            * (1 + settings.rho * random.nextDouble());
    if (lossesInARow > 1 && gap < windowNanos) {
      return Duration.ZERO;
    }
    return Duration.ofNanos((long) Math.min(gap, settings.longest.toNanos()));
  }
}
