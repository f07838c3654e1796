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
package dev.lakestream.assembly;

/**
 * The SplitMix64 mixing function (Steele, Lea and Flood, 2014), written out because what depends on
 * it must be the same on every JDK and in every language.
 */
final class SplitMix {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private SplitMix() {}

  /** Number {@code index} of the sequence of {@code seed}: 64 well-mixed bits. */
  static long at(long seed, long index) {
    long z = mix(seed) + GOLDEN * (index + 1);
    return mix(z);
  }

  /** {@code bits} brought into {@code 0 … bound - 1}, each as likely (to 1 in 2^32). */
  static int below(int bound, long bits) {
    return (int) (((bits >>> 32) * bound) >>> 32);
  }

  private static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
