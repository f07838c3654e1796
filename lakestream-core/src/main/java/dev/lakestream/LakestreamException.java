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
package dev.lakestream;

/**
 * The root of every failure that Lakestream reports. A message names the stream, the thing (key,
 * version, step) and the remedy; the subclasses say what kind of failure it is.
 */
public class LakestreamException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public LakestreamException(String message) {
    super(message);
  }

  public LakestreamException(String message, Throwable cause) {
    super(message, cause);
  }
}
