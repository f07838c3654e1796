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
package dev.lakestream.flink.table;

import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.description.InlineElement;
import org.apache.flink.configuration.description.TextElement;

/** The values of {@code s3.checksums}. */
enum StoreChecksums implements DescribedEnum {
  WHEN_SUPPORTED("when-supported", "Uploads carry a checksum that the server verifies."),
  WHEN_REQUIRED("when-required", "Only where S3 demands one: for servers that refuse it.");

  private final String value;
  private final String description;

  StoreChecksums(String value, String description) {
    this.value = value;
    this.description = description;
  }

  @Override
  public InlineElement getDescription() {
    return TextElement.text(description);
  }

  @Override
  public String toString() {
    return value;
  }
}
