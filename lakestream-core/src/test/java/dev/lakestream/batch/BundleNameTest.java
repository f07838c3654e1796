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
package dev.lakestream.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleNameTest {

  private static final UUID OWNER = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
  private static final UUID ID = UUID.fromString("ffeeddcc-bbaa-4988-b766-554433221100");
  private static final String NAME =
      "data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle";

  @Test
  void aNameIsAsDocumented() {
    assertThat(new BundleName(OWNER, 42, 7, ID).object()).isEqualTo(NAME);
  }

  @Test
  void aNameTellsItsParts() {
    assertThat(BundleName.parse(NAME)).contains(new BundleName(OWNER, 42, 7, ID));
    BundleName largest = BundleName.create(OWNER, Long.MAX_VALUE, Integer.MAX_VALUE);
    assertThat(BundleName.parse(largest.object())).contains(largest);
    assertThat(BundleName.create(OWNER, 0, 0)).isNotEqualTo(BundleName.create(OWNER, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "data/",
        "data/84/_tmp",
        "data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle.crc",
        "data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle\n",
        "/data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle",
        "x/data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/85/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899AABBCCDDEEFF-42-7-FFEEDDCCBBAA4988B766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-042-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff--42-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-+42-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-٤٢-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-9223372036854775808-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-99999999999999999999-7-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-42-2147483648-ffeeddccbbaa4988b766554433221100.bundle",
        "data/84/00112233445566778899aabbccddeeff-42-7-ffeeddccbbaa4988b76655443322110.bundle"
      })
  void aForeignNameIsNotOurs(String name) {
    assertThat(BundleName.parse(name)).isEqualTo(Optional.empty());
  }

  @Test
  void namesSpreadOverTheirPrefixes() {
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < 25_600; i++) {
      // Identifiers that differ in few bits: the worst case for the hash.
      String name = new BundleName(OWNER, 1, 0, new UUID(0x4000L, i)).object();
      counts.merge(name.substring(0, "data/00/".length()), 1, Integer::sum);
    }
    assertThat(counts).hasSize(256);
    assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(50, 150));
  }

  @Test
  void aNegativePartIsRefused() {
    assertThatThrownBy(() -> BundleName.create(OWNER, -1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("checkpoint -1");
  }
}
