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
package dev.lakestream.benchmarks;

import java.util.List;

/** One measurement. */
interface Benchmark {

  /** How it is called on the command line. */
  String name();

  /** One line that says what it measures. */
  String description();

  /**
   * Measures; prints what a person wants to see on the way.
   *
   * @param cases which parts of it to run, by the names that the benchmark prints; empty: all
   */
  Result run(List<String> cases) throws Exception;
}
