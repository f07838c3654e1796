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
package dev.lakestream.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends ObjectStoreContract {

  private final MemoryStore store = new MemoryStore();

  @Override
  ObjectStore store() {
    return store;
  }

  @Override
  ObjectStore storeAt(String name) {
    return Stores.open("mem://memory-store-test/" + name, Map.of());
  }

  @Test
  void keysBeyondTheBasicPlaneComeAfterAllOthers() {
    put("\uFF5E", new byte[] {1});
    put("\uD83D\uDE80", new byte[] {1});
    assertThat(keys("", "", 1)).containsExactly("\uFF5E", "\uD83D\uDE80");
  }

  @Test
  void aStoreIsSharedByNameAndCanBeMadeFaultyWhileItIsInUse() {
    ObjectStore one = Stores.open("mem://shared/a", Map.of());
    ObjectStore other = Stores.open("mem://shared/a/", Map.of());
    await(one.put("x", Payload.of(new byte[] {1})));
    assertThat(await(other.length("x"))).isEqualTo(1);
    FaultyStore faulty = MemoryStores.makeFaulty("shared");
    faulty.on(Op.LENGTH).answer(Answer.denied());
    assertFault(Fault.DENIED, () -> await(other.length("x")));
    assertThat(faulty.log().count(Op.LENGTH, "a/x")).isEqualTo(1);
    MemoryStores.remove("shared");
    assertFault(Fault.MISSING, () -> await(other.length("x")));
  }
}
