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

import dev.lakestream.batch.Slice;
import dev.lakestream.manifest.BundleDescriptor;

/**
 * What a rank reads at one step.
 *
 * @param step its number
 * @param slice the rank's own; empty for a rank that has no part in the step, which is a step
 *     nevertheless: all ranks see the same ones
 * @param bundle that holds the step
 * @param version of the manifest in which the bundle was found
 */
public record RankStep(long step, Slice slice, BundleDescriptor bundle, long version) {}
