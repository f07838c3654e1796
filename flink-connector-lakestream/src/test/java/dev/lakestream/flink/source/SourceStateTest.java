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
package dev.lakestream.flink.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;

/** Field fault B26: state across upgrades. */
class SourceStateTest {

  private static final BundleSplit SPLIT =
      new BundleSplit(
          Splits.bundle(new Mesh(8, 2), 16, Map.of("b", "2", "a", "1")),
          RankSet.of(16, rank -> rank % 4 < 2),
          15,
          new SlicePosition(3, 5, 1L << 40));

  private static final EnumeratorState STATE =
      new EnumeratorState(
          new StreamPosition(new UUID(1, 2), 17, new UUID(3, 4), 81_216),
          BoundedMode.timestamp(1_700_000_100_000L),
          OptionalLong.of(90_000),
          List.of(SPLIT));

  private final BundleSplitSerializer splits = new BundleSplitSerializer();
  private final EnumeratorStateSerializer states = new EnumeratorStateSerializer();

  /** As version 1 wrote it. These bytes never change. */
  private static final String GOLDEN_SPLIT =
      "000000ad0a54646174612f35642f303030303030303030303030303030313030"
          + "30303030303030303030303030322d372d332d30303030303030303030303030"
          + "303033303030303030303030303030303030342e62756e646c6510c0843d18d8"
          + "fc3c20d80728b0fa0430103880d3274204080810024880205080897a5a06696e"
          + "67657374602a6a0e0880d095ffbc3110e0a499ffbc3172060a01611201317206"
          + "0a01621201328001118801c8ac99ffbc31000000040000000000000002000000"
          + "0400000006000000080000000a0000000c0000000e0000000f00000003000000"
          + "050000010000000000df175db6";

  private static final String GOLDEN_STATE =
      "0000000000000001000000000000000200000000000000110000000000000003"
          + "00000000000000040000000000013d400000000954494d455354414d50000001"
          + "8bcfe6eea00000000000015f900000000100000001000000ed000000ad0a5464"
          + "6174612f35642f30303030303030303030303030303031303030303030303030"
          + "303030303030322d372d332d3030303030303030303030303030303330303030"
          + "3030303030303030303030342e62756e646c6510c0843d18d8fc3c20d80728b0"
          + "fa0430103880d3274204080810024880205080897a5a06696e67657374602a6a"
          + "0e0880d095ffbc3110e0a499ffbc3172060a016112013172060a016212013280"
          + "01118801c8ac99ffbc3100000004000000000000000200000004000000060000"
          + "00080000000a0000000c0000000e0000000f0000000300000005000001000000"
          + "0000df175db6fc1532d0";

  @Test
  void versionOneOfASplitIsReadForEver() throws Exception {
    assertThat(HexFormat.of().formatHex(splits.serialize(SPLIT))).isEqualTo(GOLDEN_SPLIT);
    assertThat(splits.deserialize(1, HexFormat.of().parseHex(GOLDEN_SPLIT))).isEqualTo(SPLIT);
  }

  @Test
  void versionOneOfTheEnumeratorIsReadForEver() throws Exception {
    assertThat(HexFormat.of().formatHex(states.serialize(STATE))).isEqualTo(GOLDEN_STATE);
    assertThat(states.deserialize(1, HexFormat.of().parseHex(GOLDEN_STATE))).isEqualTo(STATE);
  }

  @Test
  void anEndThatIsNotSettledComesBackSo() throws Exception {
    EnumeratorState open =
        new EnumeratorState(STATE.position(), BoundedMode.none(), OptionalLong.empty(), List.of());
    assertThat(states.deserialize(1, states.serialize(open))).isEqualTo(open);
  }

  @Test
  void newerCutAndChangedBytesAreRefused() throws Exception {
    refuses(splits, splits.serialize(SPLIT), "Lakestream split");
    refuses(states, states.serialize(STATE), "Lakestream enumerator state");
  }

  private static void refuses(SimpleVersionedSerializer<?> serializer, byte[] bytes, String what) {
    assertThatThrownBy(() -> serializer.deserialize(serializer.getVersion() + 1, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(what)
        .hasMessageContaining("state version 2 not supported");
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(1, cut)).isInstanceOf(IOException.class);
    }
    for (int at = 0; at < bytes.length; at++) {
      byte[] changed = bytes.clone();
      changed[at] ^= 1;
      assertThatThrownBy(() -> serializer.deserialize(1, changed)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void nothingEndsAt64Kibibytes() throws Exception {
    Map<String, String> attributes = Map.of("é".repeat(40_000), "數".repeat(40_000));
    BundleSplit large =
        BundleSplit.of(
            Splits.bundle(new Mesh(20_000, 1), 16, attributes),
            RankSet.of(20_000, rank -> rank % 2 == 0),
            0,
            16);
    assertThat(splits.deserialize(1, splits.serialize(large))).isEqualTo(large);
    List<BundleSplit> many = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      many.add(SPLIT);
    }
    EnumeratorState wide = new EnumeratorState(STATE.position(), STATE.bound(), STATE.end(), many);
    assertThat(states.deserialize(1, states.serialize(wide)).pending()).hasSize(3_000);
  }
}
