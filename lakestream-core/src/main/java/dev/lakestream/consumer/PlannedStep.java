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

import dev.lakestream.consumer.topology.Part;
import java.util.List;

/**
 * A consumer step of one rank, which lies in one TGB of one bundle.
 *
 * @param step of the stream
 * @param row where the consumer step begins, the same for all ranks
 * @param tgb of the bundle
 * @param replica whose row it is; mode {@code rows} only
 * @param sections that it takes slices of, by number
 * @param parts what it takes of them; null: known when the tables are here
 * @param next where the reader stands after it
 */
record PlannedStep(
    long step,
    long row,
    int tgb,
    int replica,
    List<Integer> sections,
    List<Part> parts,
    Stand next) {}
