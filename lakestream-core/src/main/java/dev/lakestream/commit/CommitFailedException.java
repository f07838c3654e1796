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
package dev.lakestream.commit;

import dev.lakestream.LakestreamException;

/**
 * A commit that used up its time, or whose outcome could not be learned. Whether anything was
 * published is unknown: keep what was to be published and delete nothing (invariant I5). Trying
 * again is safe.
 */
public class CommitFailedException extends LakestreamException {

  private static final long serialVersionUID = 1L;

  public CommitFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
