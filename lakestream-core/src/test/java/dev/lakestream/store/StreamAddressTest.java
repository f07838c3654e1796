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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Field fault B47: one canonical form of every spelling, and names that need escaping. */
class StreamAddressTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/data/stream                   | file:///data/stream",
        "//data///stream//              | file:///data/stream",
        "file:/data/stream              | file:///data/stream",
        "file:///data/stream/           | file:///data/stream",
        "FILE://localhost/data/stream   | file:///data/stream",
        "/a b/c+d/%20/#?=:&~'\"/数据/🚀 | file:///a b/c+d/%20/#?=:&~'\"/数据/🚀",
        "s3://bucket/a/b                | s3://bucket/a/b",
        "s3a://bucket/a/b/              | s3://bucket/a/b",
        "S3N://bucket//a///b            | s3://bucket/a/b",
        "s3://bucket                    | s3://bucket",
        "s3://bucket/                   | s3://bucket",
        "s3://my.bucket-1/a b/c+d/%2F/#?| s3://my.bucket-1/a b/c+d/%2F/#?",
        "s3://bucket/a\\b               | s3://bucket/a\\b",
        "s3://bucket/.hidden/...        | s3://bucket/.hidden/...",
        "mem://name/prefix              | mem://name/prefix",
        "gs://bucket/x                  | gs://bucket/x",
        "abfss://box@account.dfs/x      | abfss://box@account.dfs/x",
      })
  void everySpellingHasOneCanonicalForm(String spelled, String canonical) {
    StreamAddress address = StreamAddress.parse(spelled, false);
    assertThat(address).hasToString(canonical);
    assertThat(StreamAddress.parse(canonical, false)).isEqualTo(address);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                     | empty",
        "relative/path          | relative",
        "./x                    | relative",
        "file:x                 | relative",
        "file://data/stream     | three slashes",
        "/                      | root of the file system",
        "file:///               | root of the file system",
        "/a/../b                | not allowed",
        "/a/./b                 | not allowed",
        "s3://bucket/a/../b     | not allowed",
        "s3:///a/b              | bucket is missing",
        "s3:/bucket/a           | bucket is missing",
        "s3:bucket              | bucket is missing",
        "s3://                  | bucket is missing",
        "s3://b!ucket/a         | not the name of a bucket",
        "s3://bucket:9000/a     | not the name of a bucket",
        "'C:\\data\\set 1'      | Windows",
        "C:/data                | Windows",
        "file:///C:/data        | Windows",
        "'\\\\server\\share'    | UNC",
      })
  void whatCannotBeUsedIsRefusedWithTheReason(String spelled, String reason) {
    assertThatThrownBy(() -> StreamAddress.parse(spelled, false))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.fault()).isEqualTo(Fault.INVALID))
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\nb", "s3://bucket/a\u0000", "s3://bucket/a\u007f", "/a\uD83D"})
  void whatHasNoPrintableFormIsRefusedAndShownByItsCode(String spelled) {
    assertThatThrownBy(() -> StreamAddress.parse(spelled, false))
        .hasMessageContaining("\\u")
        .hasMessageNotContaining("\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"C:\\data\\set 1", "C:/data/set 1/", "file:///C:/data//set 1", "/C:\\data/set 1"})
  void aWindowsPathIsOneAddressOnWindows(String spelled) {
    assertThat(StreamAddress.parse(spelled, true)).hasToString("file:///C:/data/set 1");
  }

  @Test
  void credentialsInAnAddressAreRefusedAndNotRepeated() {
    assertThatThrownBy(() -> StreamAddress.parse("s3://AKIAKEY:geheim@bucket/a"))
        .hasMessageContaining("s3.access-key")
        .hasMessageNotContaining("geheim");
    assertThatThrownBy(() -> StreamAddress.parse("ftp://me:geheim@host/a"))
        .hasMessageNotContaining("geheim");
  }

  @Test
  void anAddressCannotBeMadeInAnotherForm() {
    assertThatThrownBy(() -> new StreamAddress("s3", "bucket", "/a"))
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> new StreamAddress("s3", "bucket", "a/"))
        .isInstanceOf(StoreException.class);
  }
}
