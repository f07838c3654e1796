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
package dev.lakestream.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.UnsupportedVersionException;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Answer;
import dev.lakestream.store.FaultyStore;
import dev.lakestream.store.Futures;
import dev.lakestream.store.MemoryStore;
import dev.lakestream.store.Op;
import dev.lakestream.store.Payload;
import dev.lakestream.store.Time;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WatermarksTest {

  private static final Watermark SAMPLE =
      new Watermark(
          new UUID(1, 2),
          "replay",
          3,
          8,
          2,
          17,
          81_200,
          Optional.of(new Mesh(4, 2)),
          1_700_000_000_000L,
          Watermark.Kind.RANK);

  /** As format version 1 has it. These bytes never change. */
  private static final String GOLDEN =
      "4c4b5357010000000a100000000000000001000000000000000212067265706c6179180320082802301138b0fa04420408"
          + "0410024880d095ffbc31500135000000ff5871cc4c4b5357";

  private static final Watermark KEEPING =
      new Watermark(
          new UUID(1, 2),
          "t",
          0,
          1,
          0,
          7,
          100,
          Optional.empty(),
          0,
          Watermark.Kind.RANK,
          List.of(new Watermark.Kept(7, 100), new Watermark.Kept(9, 200)),
          0);

  /** With the checkpoints that the member keeps: field 11, which older readers pass over. */
  private static final String GOLDEN_KEEPING =
      "4c4b5357010000000a100000000000000001000000000000000212017420013007386450015a04080710645a05080910c8012a000000967d34654c4b5357";

  private final MemoryStore store = new MemoryStore();
  private final TrainingStream stream =
      TrainingStream.openOrCreate(store, StreamInfo.create(new Mesh(4, 2), "raw"));

  private final Watermarks watermarks = new Watermarks(stream);

  private Watermark at(String group, int rank, int worldSize, long generation, long step) {
    return new Watermark(
        stream.id(),
        group,
        rank,
        worldSize,
        generation,
        0,
        step,
        Optional.empty(),
        5,
        Watermark.Kind.FLINK_SOURCE);
  }

  @Test
  void versionOneIsReadForEver() {
    assertThat(HexFormat.of().formatHex(WatermarkCodec.encode(SAMPLE))).isEqualTo(GOLDEN);
    byte[] bytes = HexFormat.of().parseHex(GOLDEN);
    assertThat(WatermarkCodec.decode(ByteBuffer.wrap(bytes), "it")).isEqualTo(SAMPLE);
  }

  @Test
  void theCheckpointsThatAMemberKeepsAreReadForEver() {
    assertThat(HexFormat.of().formatHex(WatermarkCodec.encode(KEEPING))).isEqualTo(GOLDEN_KEEPING);
    byte[] bytes = HexFormat.of().parseHex(GOLDEN_KEEPING);
    assertThat(WatermarkCodec.decode(ByteBuffer.wrap(bytes), "it")).isEqualTo(KEEPING);
  }

  @Test
  void keptCheckpointsBelowTheWatermarkOrOutOfOrderAreRefused() {
    for (long[] steps : new long[][] {{99}, {200, 150}, {-1}}) {
      List<Watermark.Kept> kept =
          Arrays.stream(steps).mapToObj(step -> new Watermark.Kept(0, step)).toList();
      assertThatThrownBy(
              () ->
                  new Watermark(
                      stream.id(),
                      "t",
                      0,
                      1,
                      0,
                      0,
                      100,
                      Optional.empty(),
                      0,
                      KEEPING.kind(),
                      kept,
                      0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** B48: other people's objects between ours. */
  @Test
  void foreignKeysBetweenWatermarksAreNeitherReadNorDeleted() {
    watermarks.write(at("train", 0, 1, 0, 5));
    List<String> foreign =
        List.of(
            "watermark/train/0.bak",
            "watermark/train/00",
            "watermark/train/_tmp",
            "watermark/notes.txt",
            "watermark/train/sub/0");
    for (String key : foreign) {
      Futures.await(store.put(key, Payload.of(new byte[] {1})));
    }
    assertThat(watermarks.all()).hasSize(1);
    assertThat(watermarks.drop("train")).isEqualTo(1);
    assertThat(store.keys()).containsAll(foreign).doesNotContain("watermark/train/0");
  }

  @Test
  void aDroppedGroupHoldsNothingAndComesBackWithItsNextRecord() {
    watermarks.write(at("gone", 0, 2, 0, 5));
    watermarks.write(at("gone", 1, 2, 0, 6));
    watermarks.write(at("gone2", 0, 1, 0, 7));
    assertThat(watermarks.drop("gone")).isEqualTo(2);
    assertThat(watermarks.drop("gone")).isZero();
    assertThat(watermarks.all()).extracting(Watermark::group).containsExactly("gone2");
    watermarks.write(at("gone", 0, 2, 0, 8));
    assertThat(watermarks.step("gone")).hasValue(8);
  }

  @Test
  void aMemberThatAnOldListingDoesNotShowHoldsAllTheSame() {
    FaultyStore faulty = new FaultyStore(store, Time.SYSTEM);
    TrainingStream stale = TrainingStream.open(faulty);
    Watermarks late = new Watermarks(stale);
    late.write(at("train", 0, 2, 0, 45));
    late.write(at("train", 1, 2, 0, 31));
    faulty.on(Op.LIST, key -> key.equals("watermark/")).answer(Answer.staleListing(1));
    assertThat(late.all()).hasSize(1);
    assertThat(GlobalWatermark.read(stale).step()).hasValue(31);
  }

  @Test
  void moreMembersThanAPageHoldsAreAllRead() {
    for (int rank = 0; rank < 1234; rank++) {
      watermarks.write(at("train", rank, 1234, 0, 10_000 - rank));
    }
    assertThat(watermarks.all()).hasSize(1234);
    assertThat(watermarks.step("train")).hasValue(10_000 - 1233);
  }

  @Test
  void newerCutAndChangedBytesAreRefused() {
    byte[] bytes = WatermarkCodec.encode(SAMPLE);
    byte[] newer = bytes.clone();
    newer[4] = 2;
    assertThatThrownBy(() -> WatermarkCodec.decode(ByteBuffer.wrap(newer), "it"))
        .isInstanceOf(UnsupportedVersionException.class);
    for (int i = 0; i < bytes.length; i++) {
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThatThrownBy(() -> WatermarkCodec.decode(ByteBuffer.wrap(cut), "it"))
          .isInstanceOf(CorruptObjectException.class);
    }
  }

  @Test
  void aMemberReadsWhatItRecordedLast() {
    assertThat(watermarks.read("replay", 0)).isEmpty();
    watermarks.write(at("replay", 0, 1, 0, 5));
    watermarks.write(at("replay", 0, 1, 0, 9));
    assertThat(watermarks.read("replay", 0)).contains(at("replay", 0, 1, 0, 9));
    assertThat(watermarks.read("replay2", 0)).isEmpty();
  }

  @Test
  void aGroupStandsWhereItsSlowestMemberDoes() {
    assertThat(watermarks.step("train")).isEmpty();
    watermarks.write(at("train", 0, 12, 1, 30));
    watermarks.write(at("train", 11, 12, 1, 20));
    watermarks.write(at("train", 2, 12, 1, 25));
    watermarks.write(at("train-other", 0, 1, 0, 1));
    assertThat(watermarks.step("train")).hasValue(20);
    assertThat(watermarks.ofGroup("train")).extracting(Watermark::rank).containsExactly(0, 2, 11);
  }

  @Test
  void membersOfAnEarlierGenerationHoldNothingBack() {
    watermarks.write(at("train", 5, 8, 1, 3));
    watermarks.write(at("train", 0, 2, 2, 40));
    watermarks.write(at("train", 1, 2, 2, 41));
    assertThat(watermarks.step("train")).hasValue(40);
  }

  @Test
  void whatBelongsToAnotherStreamOrMemberIsRefused() {
    assertThatThrownBy(() -> watermarks.write(SAMPLE)).isInstanceOf(IllegalArgumentException.class);
    var unused =
        stream.store().put("watermark/replay/0", Payload.of(WatermarkCodec.encode(SAMPLE)));
    assertThatThrownBy(() -> watermarks.read("replay", 0))
        .isInstanceOf(CorruptObjectException.class)
        .hasMessageContaining("watermark/replay/0");
  }

  @Test
  void namesThatCannotBeKeysAreRefused() {
    for (String name : new String[] {"", ".", "..", "a/b", "a b", "é", "x".repeat(129)}) {
      assertThatThrownBy(() -> Watermark.requireGroup(name))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Watermark.requireGroup("A-b_c.9")).isEqualTo("A-b_c.9");
  }
}
