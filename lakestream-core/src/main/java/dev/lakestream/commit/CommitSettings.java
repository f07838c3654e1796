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

import dev.lakestream.commit.pacing.Pacing;
import java.time.Duration;

/**
 * How a committer behaves.
 *
 * @param pacing the policy between attempts
 * @param timeout for one commit with all its attempts; then {@link CommitFailedException}
 * @param activeWindow producers that committed within it count as contenders
 */
public record CommitSettings(Pacing pacing, Duration timeout, Duration activeWindow) {

  public static final CommitSettings DEFAULT =
      new CommitSettings(Pacing.DAC, Duration.ofMinutes(10), Duration.ofSeconds(60));

  public CommitSettings withPacing(Pacing other) {
    return new CommitSettings(other, timeout, activeWindow);
  }

  public CommitSettings withTimeout(Duration other) {
    return new CommitSettings(pacing, other, activeWindow);
  }
}
