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

import dev.lakestream.retention.Deletion.Kind;
import dev.lakestream.store.Listing;
import java.time.Duration;
import java.util.Optional;

/** What a probe of the store left behind is garbage when it is old: a probe takes seconds. */
record ProbeRule(StoreClock clock, Duration age) implements GuardedDeleter.Rule {

  @Override
  public Kind kind() {
    return Kind.PROBE;
  }

  @Override
  public Optional<String> garbage(Listing.Entry object) {
    return clock.isOlder(object, age)
        ? Optional.of("a probe of the store left it behind more than " + age + " ago")
        : Optional.empty();
  }
}
