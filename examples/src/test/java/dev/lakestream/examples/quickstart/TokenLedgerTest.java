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
package dev.lakestream.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TokenLedgerTest {

  private final TokenLedger ledger = new TokenLedger();

  @BeforeEach
  void twoDocuments() {
    ledger.expect(1, "one.txt", new int[] {10, 11, 12, 11});
    ledger.expect(2, "two.txt", new int[] {20});
  }

  private void arrive(long sampleId, int firstPosition, int... tokens) {
    ledger.arrived(new Delivery(7, 3, 0, sampleId, firstPosition, tokens));
  }

  @Test
  void piecesInAnyOrderMakeTheDocumentsComplete() {
    arrive(1, 2, 12, 11);
    arrive(2, 0, 20);
    arrive(1, 0, 10, 11);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.holds()).isTrue();
    assertThat(proof.documents()).isEqualTo(2);
    assertThat(proof.delivered()).isEqualTo(5);
    assertThat(proof.examples()).isEmpty();
  }

  @Test
  void aDroppedTokenIsMissing() {
    arrive(1, 0, 10, 11, 12);
    arrive(2, 0, 20);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.holds()).isFalse();
    assertThat(proof.missing()).isEqualTo(1);
    assertThat(proof.documents()).isEqualTo(1);
    assertThat(proof.examples())
        .containsExactly("1 of 4 tokens of one.txt did not arrive, the first at position 3");
  }

  @Test
  void aDocumentThatNeverArrivesIsMissing() {
    arrive(1, 0, 10, 11, 12, 11);
    assertThat(ledger.prove().missing()).isEqualTo(1);
    assertThat(ledger.prove().holds()).isFalse();
  }

  @Test
  void aDuplicatedTokenIsRepeated() {
    arrive(1, 0, 10, 11, 12, 11);
    arrive(2, 0, 20);
    arrive(1, 3, 11);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.holds()).isFalse();
    assertThat(proof.repeated()).isEqualTo(1);
    assertThat(proof.examples())
        .containsExactly("step 7, rank 3, sequence 0: token 3 of one.txt arrived before");
  }

  @Test
  void aDuplicateDoesNotMakeUpForADrop() {
    arrive(1, 0, 10, 11, 12);
    arrive(1, 2, 12);
    arrive(2, 0, 20);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.delivered()).isEqualTo(5);
    assertThat(proof.holds()).isFalse();
    assertThat(proof.missing()).isEqualTo(1);
    assertThat(proof.repeated()).isEqualTo(1);
  }

  @Test
  void swappedTokensAreChanged() {
    arrive(1, 0, 11, 10, 12, 11);
    arrive(2, 0, 20);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.holds()).isFalse();
    assertThat(proof.changed()).isEqualTo(2);
    assertThat(proof.missing()).isEqualTo(2);
    assertThat(proof.examples())
        .contains("step 7, rank 3, sequence 0: token 0 of one.txt is 11, and was 10");
  }

  @Test
  void tokensOfNoDocumentAreForeign() {
    arrive(1, 0, 10, 11, 12, 11);
    arrive(2, 0, 20, 21);
    arrive(-1, 0, 5, 6);
    TokenLedger.Proof proof = ledger.prove();
    assertThat(proof.holds()).isFalse();
    assertThat(proof.foreign()).isEqualTo(3);
    assertThat(proof.examples())
        .containsExactly(
            "step 7, rank 3, sequence 0: two.txt has no token 1",
            "step 7, rank 3, sequence 0: document 18446744073709551615 is not of the input");
  }

  @Test
  void twoDocumentsOfOneIdAreRefused() {
    assertThatThrownBy(() -> ledger.expect(2, "three.txt", new int[] {1}))
        .hasMessageContaining("two.txt")
        .hasMessageContaining("three.txt");
  }
}
