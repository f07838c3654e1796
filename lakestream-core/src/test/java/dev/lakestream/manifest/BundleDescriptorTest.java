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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.format.CorruptObjectException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class BundleDescriptorTest {

  /** Field 18: batch 1, 3 records, at 1002, "why". */
  private static final String REDACTION = "92010c" + "0801" + "1003" + "18ea07" + "2203776879";

  private static final BundleDescriptor REDACTED =
      Golden.BUNDLE.redacted(Golden.BUNDLE.bundle(), List.of(new Redaction(1, 3, 1002, "why")));

  @Test
  void aRedactionIsTheBytesOfTheSpecification() {
    byte[] bytes = REDACTED.toBytes();
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(HexFormat.of().formatHex(Golden.BUNDLE.toBytes()) + REDACTION);
    assertThat(BundleDescriptor.fromBytes(bytes, "it")).isEqualTo(REDACTED);
  }

  @Test
  void aRedactionOfNothingIsDamage() {
    String nothing =
        HexFormat.of().formatHex(REDACTED.toBytes()).replace("92010c08011003", "92010c08011000");
    assertThatThrownBy(() -> BundleDescriptor.fromBytes(HexFormat.of().parseHex(nothing), "it"))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("No redaction takes 0 records");
  }

  @Test
  void anotherShapeDoesNotTakeThePlaceOfABundle() {
    assertThatThrownBy(
            () ->
                Golden.BUNDLE.redacted(
                    Golden.BUNDLE.bundle(), List.of(new Redaction(2, 3, 1002, "why"))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Golden.BUNDLE.redacted(Golden.BUNDLE.bundle(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
