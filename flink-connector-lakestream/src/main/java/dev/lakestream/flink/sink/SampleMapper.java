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

import dev.lakestream.assembly.Sample;
import java.io.Serializable;

/**
 * Makes the sample of an element. A sample without an event time takes that of its element, if that
 * has one. The same rules for buffers hold as for a {@link BatchMapper}.
 */
@FunctionalInterface
public interface SampleMapper<IN> extends Serializable {

  Sample map(IN element) throws Exception;
}
