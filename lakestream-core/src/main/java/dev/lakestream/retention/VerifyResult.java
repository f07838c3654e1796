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
package dev.lakestream.retention;

/**
 * What a verification has looked at, and how many findings there were.
 *
 * @param version the head that was verified
 * @param manifests live ones, from the head backwards
 * @param segments that the head leads to
 * @param bundles that hold any step that the stream still holds
 * @param steps in them that the stream still holds
 * @param bundleBytes of those bundles
 * @param objects in the store, foreign ones included
 * @param errors findings that mean damage
 * @param notes findings that do not
 */
public record VerifyResult(
    long version,
    long manifests,
    long segments,
    long bundles,
    long steps,
    long bundleBytes,
    long objects,
    long errors,
    long notes) {

  /** Whether nothing is damaged. */
  public boolean isIntact() {
    return errors == 0;
  }
}
