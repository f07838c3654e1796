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

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.UUID;

/**
 * Who wants to publish under a producer id, and from where it starts.
 *
 * @param producerId names the producer in every manifest
 * @param owner made when the sink or producer is built: the same for all restarts of one submission
 * @param jobName for messages; a long one is cut
 * @param start what the start knows of the past
 */
public record Claim(String producerId, UUID owner, String jobName, Start start) {

  private static final int MAX_PRODUCER_ID = 512;

  /** In UTF-8; every commit writes the names of all producers' jobs. */
  static final int MAX_JOB_NAME_BYTES = 64;

  private static final String ELLIPSIS = "…";

  public Claim {
    if (producerId.isBlank() || producerId.length() > MAX_PRODUCER_ID) {
      throw new IllegalArgumentException(
          "A producer id has 1 to " + MAX_PRODUCER_ID + " characters: \"" + producerId + "\".");
    }
    jobName = cut(jobName);
  }

  private static String cut(String name) {
    if (name.getBytes(UTF_8).length <= MAX_JOB_NAME_BYTES) {
      return name;
    }
    int end = 0;
    int bytes = ELLIPSIS.getBytes(UTF_8).length;
    while (true) {
      String next = Character.toString(name.codePointAt(end));
      bytes += next.getBytes(UTF_8).length;
      if (bytes > MAX_JOB_NAME_BYTES) {
        return name.substring(0, end) + ELLIPSIS;
      }
      end += next.length();
    }
  }

  /** What a start knows of the past. */
  public sealed interface Start {}

  /**
   * It restored nothing: a new lineage, unless this owner has begun one and published nothing in
   * it.
   */
  public record Fresh() implements Start {}

  /**
   * It restored nothing and always does (batch execution): a restart of the same owner goes on in
   * its lineage, where what it has published is skipped.
   */
  public record Batch() implements Start {}

  /**
   * The manifest is its state (a stand-alone producer): it goes on where the newest lineage stands.
   */
  public record Resume() implements Start {}

  /**
   * It restored a checkpoint.
   *
   * @param lineage in the restored state
   * @param takenBy the owner that took the checkpoint
   * @param sequence R: the checkpoint id
   */
  public record Restored(UUID lineage, UUID takenBy, long sequence) implements Start {}
}
