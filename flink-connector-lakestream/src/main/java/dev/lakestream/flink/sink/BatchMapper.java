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

import dev.lakestream.batch.GlobalBatch;
import java.io.Serializable;

/**
 * Makes the global batch of an element that is one.
 *
 * <p>The bytes of its slices may be views of the element's own arrays; they are not copied unless
 * the job runs with object reuse. A mapper must not use a buffer of its own twice.
 */
@FunctionalInterface
public interface BatchMapper<IN> extends Serializable {

  GlobalBatch map(IN element) throws Exception;
}
