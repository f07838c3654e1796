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

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What an entry keeps of a producer that has been submitted again and again. */
class ProducerEntryTest {

  private static final int REMEMBERED = ProducerEntry.MAX_OWNERS + ForgottenOwners.MAX_MARKS;

  private final Random random = new Random(1);
  private final List<UUID> owners = new ArrayList<>();

  @Test
  void anOwnerIsRecognisedAndInItsOrderWhileThirtyTwoAreRemembered() {
    ProducerEntry entry = first();
    for (int i = 1; i < 2 * REMEMBERED; i++) {
      entry = entry.withOwner(fresh(), i);
      List<Integer> orders = owners.stream().map(entry::orderOf).toList();
      int unknown = Math.max(0, owners.size() - REMEMBERED);
      assertThat(orders.subList(0, unknown)).allMatch(order -> order == -1);
      for (int k = unknown; k < owners.size(); k++) {
        assertThat(orders.get(k)).isEqualTo(k - unknown);
      }
      assertThat(entry.previousOwners()).isEqualTo(i);
      assertThat(entry.orderOf(id())).isEqualTo(-1);
    }
    assertThat(entry.owners()).hasSize(ProducerEntry.MAX_OWNERS);
  }

  @Test
  void aLineageThatAKeptOwnerWritesInStays() {
    ProducerEntry entry = first();
    UUID old = owners.get(0);
    for (int i = 0; i < 50; i++) {
      entry = entry.withOwner(fresh(), i).withOwner(fresh(), i);
      entry = entry.withOwner(in(old), i);
      assertThat(entry.currentLineage().id()).isEqualTo(old);
      assertThat(entry.lineages()).hasSizeLessThanOrEqualTo(ProducerEntry.MAX_LINEAGES);
      ProducerEntry now = entry;
      assertThat(entry.owners()).allMatch(owner -> now.lineage(owner.lineage()).isPresent());
    }
  }

  /** Its committables may be restored once more, and are in the stream already. */
  @Test
  void theLineageThatAnOwnerHasRewoundFromIsKeptWhileThereIsRoom() {
    ProducerEntry entry = first();
    Owner again = new Owner(owners.get(0), id(), "a job", 1);
    ProducerEntry rewound = entry.withOwner(again, 1);
    assertThat(rewound.lineage(owners.get(0))).isPresent();
    assertThat(rewound.previousOwners()).isZero();
  }

  @Test
  void onlyTheCurrentLineageHasAPositionAndOnlyTheCurrentOwnerAName() {
    ProducerEntry entry = first();
    Lineage at =
        new Lineage(
            owners.get(0),
            1,
            Optional.of(owners.get(0)),
            1,
            ByteString.copyFromUtf8("offset 1"),
            1);
    entry = entry.withLineage(at, 1);
    ProducerEntry resumed = entry.withOwner(in(owners.get(0)), 2);
    assertThat(resumed.currentLineage()).isEqualTo(at);
    ProducerEntry anew = entry.withOwner(fresh(), 2);
    assertThat(anew.lineage(owners.get(0)).orElseThrow()).isEqualTo(at.withoutPosition());
    assertThat(anew.owners()).extracting(Owner::jobName).containsExactly("", "a job");
  }

  @Test
  void whatWasForgottenIsReadAsItWasWritten() {
    ProducerEntry entry = ManySubmissions.of("p", 20, ByteString.copyFromUtf8("x"), 1);
    var message = ManifestProtos.toProto(entry);
    assertThat(ManifestProtos.fromProto(message, "manifest 1")).isEqualTo(entry);
    assertThat(message.getForgottenOwners()).isEqualTo(17);
    assertThatThrownBy(
            () ->
                ManifestProtos.fromProto(
                    message.toBuilder().setForgottenMarks(ByteString.copyFromUtf8("12345")).build(),
                    "manifest 1"))
        .hasMessageContaining("manifest 1, producer p");
  }

  /** docs/format.md states it: other writers compute the same. */
  @Test
  void theMarkIsTheXorOfTheFourWords() {
    UUID owner = UUID.fromString("00010203-0405-0607-0809-0a0b0c0d0e0f");
    ForgottenOwners forgotten = ForgottenOwners.NONE.with(new Owner(owner, owner, "", 0));
    assertThat(forgotten.marks().toByteArray())
        .containsExactly(
            0x00 ^ 0x04 ^ 0x08 ^ 0x0c,
            0x01 ^ 0x05 ^ 0x09 ^ 0x0d,
            0x02 ^ 0x06 ^ 0x0a ^ 0x0e,
            0x03 ^ 0x07 ^ 0x0b ^ 0x0f);
  }

  private ProducerEntry first() {
    return ProducerEntry.of("p", fresh(), 0);
  }

  private Owner fresh() {
    UUID id = id();
    owners.add(id);
    return new Owner(id, id, "a job", 0);
  }

  private Owner in(UUID lineage) {
    UUID id = id();
    owners.add(id);
    return new Owner(id, lineage, "a job", 0);
  }

  private UUID id() {
    return new UUID(random.nextLong(), random.nextLong());
  }
}
