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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreOptionsTest {

  @ParameterizedTest
  @CsvSource({
    "10 s, 10000",
    "500ms, 500",
    "250, 250",
    "PT10S, 10000",
    "pt1m, 60000",
    "3 min, 180000",
    "1h, 3600000",
    "2 d, 172800000"
  })
  void durationsAreWrittenInManyWays(String text, long millis) {
    assertThat(of("x", text).duration("x", Duration.ZERO)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ten", "10 parsecs", "-5 s", "PT", "PT-1S", "999999999999999999 d"})
  void whatIsNoDurationIsRefusedByName(String text) {
    assertThatThrownBy(() -> of("retry.max-elapsed", text).duration("retry.max-elapsed", null))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("retry.max-elapsed")
        .hasMessageContaining(text);
  }

  @ParameterizedTest
  @CsvSource({"16 MiB, 16777216", "8mb, 8388608", "64M, 67108864", "100, 100", "2 GiB, 2147483648"})
  void sizesAreWrittenInManyWays(String text, long bytes) {
    assertThat(of("x", text).size("x", 0)).isEqualTo(bytes);
  }

  @Test
  void ourOwnSpellingWinsOverFlinksAndThatOverHadoops() {
    StoreOptions options =
        new StoreOptions(
            Map.of(
                "fs.s3a.endpoint", "hadoop",
                "s3.endpoint", "ours",
                "fs.s3a.path.style.access", "false",
                "s3.path.style.access", "true",
                "fs.s3a.endpoint.region", "eu-north-1",
                "s3a.connection.maximum", "7",
                "fs.s3a.session.token", "token"));
    assertThat(options.text("s3.endpoint")).contains("ours");
    assertThat(options.flag("s3.path-style-access", false)).isTrue();
    assertThat(options.text("s3.region")).contains("eu-north-1");
    assertThat(options.count("s3.max-connections", 1)).isEqualTo(7);
    assertThat(options.text("s3.session-token")).contains("token");
    assertThat(options.text("s3.access-key")).isEmpty();
  }

  @Test
  void wrongS3OptionsAreNamedWithoutTheirSecrets() {
    refused(Map.of("s3.access-key", "AK"), "together");
    refused(Map.of("s3.endpoint", "host:9000"), "https://host:9000");
    refused(Map.of("s3.endpoint", "http://me:geheim@host"), "without credentials");
    refused(Map.of("s3.sse.type", "rot13"), "aws:kms");
    refused(Map.of("s3.sse.kms-key-id", "k"), "s3.sse.type");
    refused(Map.of("s3.checksums", "never"), "when-supported, when-required");
    refused(Map.of("s3.multipart.part-size", "1 MiB"), "5 MiB");
    refused(Map.of("s3.multipart.threshold", "6 GiB"), "5 GiB");
    refused(Map.of("s3.request-timeout", "0"), "above 0");
    refused(Map.of("s3.max-connections", "0"), "above 0");
    refused(Map.of("s3.path-style-access", "yes"), "true or false");
  }

  @Test
  void secretsAreInNoText() {
    Map<String, String> options =
        Map.of(
            "s3.endpoint", "http://127.0.0.1:1",
            "s3.access-key", "AK",
            "s3.secret-key", "geheim",
            "s3.session-token", "geheim");
    try (ObjectStore store = Stores.open("s3://bucket/x", options)) {
      assertThat(store + store.address() + S3Settings.read(new StoreOptions(options)))
          .doesNotContain("geheim");
    }
  }

  @Test
  void anUnknownSchemeIsToldWhichAreKnown() {
    assertThatThrownBy(() -> Stores.open("ftp://host/x", Map.of()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("ftp:")
        .hasMessageContaining("file, mem, s3");
  }

  private static void refused(Map<String, String> options, String reason) {
    assertThatThrownBy(() -> S3Settings.read(new StoreOptions(options)))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.INVALID))
        .hasMessageContaining(options.keySet().iterator().next())
        .hasMessageContaining(reason)
        .hasMessageNotContaining("geheim");
  }

  private static StoreOptions of(String name, String value) {
    return new StoreOptions(Map.of(name, value));
  }
}
