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
package dev.lakestream.flink.catalog.procedure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TablesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "t|default|t",
        "web.pages|web|pages",
        "web.pages.v1|web|pages.v1",
        "`pages.v1`|default|pages.v1",
        "`crawl.2026`.`pages.v1`|crawl.2026|pages.v1",
        "web.`pages.v1`|web|pages.v1",
        "`crawl.2026`.pages|crawl.2026|pages",
        "`a``b`.t|a`b|t",
        "a`b|default|a`b"
      })
  void aNameIsFoundAsItIsSpelled(String spelled, String database, String table) {
    assertThat(Tables.path(spelled, "default"))
        .satisfies(path -> assertThat(path.getDatabaseName()).isEqualTo(database))
        .satisfies(path -> assertThat(path.getObjectName()).isEqualTo(table));
  }
}
