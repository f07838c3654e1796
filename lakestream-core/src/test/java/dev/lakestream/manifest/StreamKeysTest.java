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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamKeysTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 99, 100, 999_999, 1_000_000, Long.MAX_VALUE})
  void aVersionComesBackFromItsKey(long version) {
    assertThat(StreamKeys.manifestVersion(StreamKeys.manifest(version))).hasValue(version);
  }

  @Test
  void keysAreOrderedAsNumbersAre() {
    long[] versions = {0, 1, 9, 10, 11, 99, 100, 999_999, 1_000_000, Long.MAX_VALUE};
    for (int i = 1; i < versions.length; i++) {
      assertThat(StreamKeys.manifest(versions[i]))
          .isGreaterThan(StreamKeys.manifest(versions[i - 1]));
    }
  }

  @Test
  void keysAreAsTheLayoutSays() {
    assertThat(StreamKeys.manifest(42)).isEqualTo("manifest/00000000000000000042.manifest");
    assertThat(StreamKeys.segment(42, new UUID(0xab00000000000000L, 1)))
        .isEqualTo("segment/ab/00000000000000000042-ab000000000000000000000000000001.segment");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "stream",
        "manifest/",
        "manifest/42.manifest",
        "manifest/00000000000000000042.manifest ",
        "manifest/000000000000000000042.manifest",
        "manifest/0000000000000000042.manifest",
        "manifest/00000000000000000042.MANIFEST",
        "manifest/+0000000000000000042.manifest",
        "manifest/-0000000000000000042.manifest",
        "manifest/0000000000000000004x.manifest",
        "manifest/٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠.manifest",
        "manifest/99999999999999999999.manifest",
        "manifest/09223372036854775808.manifest",
        "segment/00/00000000000000000042-0.segment"
      })
  void whateverElseIsNoManifest(String key) {
    assertThat(StreamKeys.manifestVersion(key)).isEmpty();
  }
}
