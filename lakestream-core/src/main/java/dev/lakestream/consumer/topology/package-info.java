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
/**
 * Which bytes a rank takes of a stream that was written for another mesh than its own: pure
 * functions of the two meshes, of where the rank stands and, in one mode, of how many records the
 * slices hold (DESIGN section 5.2; [L] section 4.1). The rules are docs/topology.md; one file of
 * vectors, {@code topology-vectors.json}, holds this code and the readers in other languages to it.
 */
package dev.lakestream.consumer.topology;
