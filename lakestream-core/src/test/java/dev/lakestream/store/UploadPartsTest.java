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

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Field fault B38: past the 5 GB that a store takes in one request. One buffer stands for all, so
 * that no such object is ever in memory.
 */
class UploadPartsTest {

  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  /** S3's limit for one request, and so for a part. */
  private static final long LONGEST_PART = 5 * GIB;

  @ParameterizedTest
  @CsvSource({
    "0, 16777216, 16777216, 1",
    "16777216, 16777216, 16777216, 1",
    "16777217, 16777216, 16777216, 2",
    "5368709120, 16777216, 16777216, 320",
    "5368709121, 16777216, 16777216, 321",
    "5368709121, 5368709120, 5368709120, 2",
    "167772160000, 16777216, 16777216, 10000",
    "167772160001, 16777216, 16777217, 10000",
    "5497558138880, 16777216, 549755814, 10000",
    "53687091200000, 5242880, 5368709120, 10000"
  })
  void partsGrowWhereTheyWouldBeTooMany(long length, long wanted, long size, int count) {
    assertThat(UploadParts.size(length, wanted)).isEqualTo(size);
    assertThat(UploadParts.count(length, size)).isEqualTo(count);
  }

  @Property
  void everyObjectThatS3CanHoldFitsItsLimits(
      @ForAll @LongRange(min = 1, max = UploadParts.MOST * LONGEST_PART) long length,
      @ForAll @LongRange(min = 5 * MIB, max = LONGEST_PART) long wanted) {
    long size = UploadParts.size(length, wanted);
    int count = UploadParts.count(length, size);
    assertThat(size).isBetween(wanted, LONGEST_PART);
    assertThat(count).isBetween(1, UploadParts.MOST);
    assertThat(length).isBetween((count - 1) * size + 1, count * size);
  }

  @Test
  void thePartsOfAnObjectPast5GBAreItsBytesInOrder() {
    int unit = 4 * 1_000_003; // No part begins or ends where a buffer does.
    ByteBuffer shared = ByteBuffer.allocate(unit);
    while (shared.hasRemaining()) {
      shared.putInt(shared.position());
    }
    shared.flip();
    List<ByteBuffer> buffers = new ArrayList<>(Collections.nCopies(1_500, shared));
    buffers.add(shared.slice(0, 8));
    Payload content = Payload.of(buffers);
    assertThat(content.length()).isGreaterThan(LONGEST_PART);

    long size = 16 * MIB;
    UploadParts parts = new UploadParts(content, size);
    long at = 0;
    for (int part = 0; part < parts.count(); part++) {
      assertThat(at).isEqualTo(part * size);
      for (ByteBuffer bytes : parts.bytes(part)) {
        assertThat(bytes.getInt(0)).isEqualTo((int) (at % unit));
        at += bytes.remaining();
        assertThat(bytes.getInt(bytes.limit() - 4)).isEqualTo((int) ((at - 4) % unit));
      }
    }
    assertThat(at).isEqualTo(content.length());
  }
}
