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
package dev.lakestream.manifest;

/**
 * Says that records were taken out of a step after it was published. The step stays, its number and
 * its other records too.
 *
 * @param tgb which batch of its bundle, from 0
 * @param records how many were taken out
 * @param redactedAt by the wall clock, for people
 * @param reason for people, {@value #MAX_REASON} characters at most
 */
public record Redaction(int tgb, long records, long redactedAt, String reason) {

  /** A manifest carries it, so it is short. */
  public static final int MAX_REASON = 200;

  public Redaction {
    if (tgb < 0 || records < 1) {
      throw new IllegalArgumentException(
          "No redaction takes " + records + " records out of batch " + tgb + " of a bundle.");
    }
    if (reason.length() > MAX_REASON) {
      throw new IllegalArgumentException(
          "The reason of a redaction has "
              + reason.length()
              + " characters; "
              + MAX_REASON
              + " are the most.");
    }
  }
}
