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
package dev.lakestream.batch.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.slice.TokenSlice.Boundary;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TokenSliceTest {

  private static final long LARGE_ID = Long.MIN_VALUE + 1;
  private static final String GOLDEN_CHUNK_0_U16 =
      "4c4b5453010000000200000006000000000000000200000002000000090000000a000b000c0009000900090000"
          + "00000002000000050000000d000000000000000200000000000000ffffffff000000000000000004000000"
          + "070000000000000002000000000000000100000000000080";
  private static final String GOLDEN_CHUNK_1_U32 =
      "4c4b5453010000000200000006000000010000000200000004000000090000000d0000000e00000009000000"
          + "0900000009000000090000000200000005000000ffffffff000000000200000000000000ffffffff00000000"
          + "0000000004000000070000000000000002000000000000000100000000000080";

  /** A document that goes on at position 4, a whole one, one padding token; and all padding. */
  private static final List<List<TokenSegment>> SEQUENCES =
      List.of(List.of(segment(7, 4, 10, 11), segment(LARGE_ID, 0, 12, 13, 14)), List.of());

  @Test
  void bytesAreThoseOfTheSpecification() {
    assertThat(hex(TokenSlice.encode(format(TokenWidth.U16), 0, SEQUENCES)))
        .isEqualTo(GOLDEN_CHUNK_0_U16);
    assertThat(hex(TokenSlice.encode(format(TokenWidth.U32), 1, SEQUENCES)))
        .isEqualTo(GOLDEN_CHUNK_1_U32);
  }

  @Test
  void aChunkKnowsItsTokensAndTheWholeSequence() {
    TokenSlice first = TokenSlice.decode(golden(GOLDEN_CHUNK_0_U16));
    assertThat(first.count()).isEqualTo(2);
    assertThat(first.chunk()).isZero();
    assertThat(first.format()).isEqualTo(format(TokenWidth.U16));
    assertThat(first.tokens(0)).containsExactly(10, 11, 12);
    assertThat(first.positions(0)).containsExactly(4, 5, 0);
    assertThat(first.segmentIds(0)).containsExactly(1, 1, 2);
    assertThat(first.targets(0)).containsExactly(11, TokenSlice.NO_TOKEN, 13);

    TokenSlice second = TokenSlice.decode(golden(GOLDEN_CHUNK_1_U32));
    assertThat(second.chunk()).isEqualTo(1);
    assertThat(second.tokens(0)).containsExactly(13, 14, 9);
    assertThat(second.positions(0)).containsExactly(1, 2, 0);
    assertThat(second.segmentIds(0)).containsExactly(2, 2, 0);
    assertThat(second.targets(0)).containsExactly(14, TokenSlice.NO_TOKEN, TokenSlice.NO_TOKEN);

    for (TokenSlice slice : List.of(first, second)) {
      assertThat(slice.paddingFrom(0)).isEqualTo(5);
      assertThat(slice.cuSeqlens(0)).containsExactly(0, 2, 5, 6);
      assertThat(slice.boundaries(0))
          .containsExactly(new Boundary(0, 4, 7), new Boundary(2, 0, LARGE_ID));
    }
  }

  @Test
  void aSequenceOfPaddingOnlyHasNoDocuments() {
    TokenSlice slice = TokenSlice.decode(golden(GOLDEN_CHUNK_1_U32));
    assertThat(slice.tokens(1)).containsExactly(9, 9, 9);
    assertThat(slice.positions(1)).containsOnly(0);
    assertThat(slice.segmentIds(1)).containsOnly(0);
    assertThat(slice.targets(1)).containsOnly(TokenSlice.NO_TOKEN);
    assertThat(slice.boundaries(1)).isEmpty();
    assertThat(slice.paddingFrom(1)).isZero();
    assertThat(slice.cuSeqlens(1)).containsExactly(0, 6);
  }

  @Test
  void aFullSequenceHasNoPaddingAtTheEndOfItsLengths() {
    TokenFormat format = new TokenFormat(4, 1, TokenWidth.U16, 0);
    TokenSlice slice =
        TokenSlice.decode(
            TokenSlice.encode(
                format, 0, List.of(List.of(segment(1, 0, 5), segment(2, 0, 6, 7, 8)))));
    assertThat(slice.cuSeqlens(0)).containsExactly(0, 1, 4);
    assertThat(slice.paddingFrom(0)).isEqualTo(4);
  }

  @Test
  void piecesOfOneDocumentThatMeetAgainAreOneSegment() {
    TokenFormat format = new TokenFormat(4, 1, TokenWidth.U16, 0);
    TokenSlice slice =
        TokenSlice.decode(
            TokenSlice.encode(
                format, 0, List.of(List.of(segment(1, 3, 5, 6), segment(1, 5, 7, 8)))));
    assertThat(slice.boundaries(0)).containsExactly(new Boundary(0, 3, 1));
    assertThat(slice.positions(0)).containsExactly(3, 4, 5, 6);
  }

  @Test
  void widestTokensOfEachWidthComeBack() {
    for (TokenWidth width : TokenWidth.values()) {
      TokenFormat format = new TokenFormat(2, 1, width, width.maxToken());
      TokenSlice slice =
          TokenSlice.decode(
              TokenSlice.encode(format, 0, List.of(List.of(segment(1, 0, width.maxToken())))));
      assertThat(slice.tokens(0)).containsExactly(width.maxToken(), width.maxToken());
    }
    assertThat(TokenWidth.forVocabulary(65_536)).isEqualTo(TokenWidth.U16);
    assertThat(TokenWidth.forVocabulary(65_537)).isEqualTo(TokenWidth.U32);
  }

  @Test
  void noSequencesAreNoBytes() {
    ByteBuffer slice = TokenSlice.encode(format(TokenWidth.U16), 0, List.of());
    assertThat(slice.remaining()).isZero();
    assertThat(TokenSlice.decode(slice).count()).isZero();
  }

  @Test
  void whatDoesNotFitIsRefused() {
    TokenFormat format = format(TokenWidth.U16);
    assertThatThrownBy(
            () -> TokenSlice.encode(format, 0, List.of(List.of(segment(5, 0, new int[7])))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("sample 5");
    assertThatThrownBy(() -> TokenSlice.encode(format, 0, List.of(List.of(segment(5, 0, 65_536)))))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("Token 65536 of sample 5");
    assertThatThrownBy(() -> TokenSlice.encode(format, 2, List.of()))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("chunk 2 of 2");
  }

  @Test
  void aFormatThatCannotBeIsRefused() {
    assertThatThrownBy(() -> new TokenFormat(10, 4, TokenWidth.U16, 0))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("multiple of the mesh's C");
    assertThatThrownBy(() -> new TokenFormat(8, 4, TokenWidth.U16, 100_257))
        .isInstanceOf(InvalidBatchException.class)
        .hasMessageContaining("padding token 100257");
  }

  @Test
  void aNewerVersionIsToldApartFromDamage() {
    ByteBuffer newer = golden(GOLDEN_CHUNK_0_U16).put(4, (byte) 2);
    assertThatThrownBy(() -> TokenSlice.decode(newer))
        .isInstanceOf(UnsupportedVersionException.class);
  }

  @Test
  void everyCutIsSeen() {
    for (int length = 1; length < GOLDEN_CHUNK_0_U16.length() / 2; length++) {
      ByteBuffer cut = golden(GOLDEN_CHUNK_0_U16).limit(length);
      assertThatThrownBy(() -> TokenSlice.decode(cut)).isInstanceOf(CorruptObjectException.class);
    }
  }

  @Property(tries = 2000)
  void damageIsAnErrorOrHarmless(
      @ForAll @IntRange(max = 135) int at, @ForAll boolean whole, @ForAll int value) {
    ByteBuffer bad = golden(GOLDEN_CHUNK_1_U32).order(ByteOrder.LITTLE_ENDIAN);
    if (at >= bad.limit() - 3) {
      return;
    }
    if (whole) {
      bad.putInt(at & ~3, value);
    } else {
      bad.put(at, (byte) value);
    }
    try {
      TokenSlice slice = TokenSlice.decode(bad);
      for (int i = 0; i < slice.count(); i++) {
        int length = slice.format().chunkLength();
        assertThat(slice.tokens(i)).hasSize(length);
        assertThat(slice.positions(i)).hasSize(length);
        assertThat(slice.segmentIds(i)).hasSize(length);
        assertThat(slice.targets(i)).hasSize(length);
        assertThat(slice.cuSeqlens(i)).isSorted();
      }
    } catch (LakestreamException expected) {
      assertThat(expected).hasMessageContaining("slice of tokens");
    }
  }

  private static TokenFormat format(TokenWidth width) {
    return new TokenFormat(6, 2, width, 9);
  }

  private static TokenSegment segment(long id, int firstPosition, int... tokens) {
    return new TokenSegment(id, firstPosition, IntBuffer.wrap(tokens));
  }

  private static ByteBuffer golden(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  private static String hex(ByteBuffer slice) {
    return HexFormat.of().formatHex(slice.array());
  }
}
