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
package dev.lakestream.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.assembly.Sample;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Field fault B26: state across upgrades. */
class StateSerializersTest {

  private static final UUID STREAM = new UUID(1, 2);
  private static final UUID LINEAGE = new UUID(3, 4);
  private static final UUID OWNER = new UUID(5, 6);
  private static final ProducerState PRODUCER =
      new ProducerState(STREAM, "prodücer", LINEAGE, OWNER);

  static List<Arguments> all() {
    return List.of(
        Arguments.of(
            new ProducerStateSerializer(),
            PRODUCER,
            "000000000000000100000000000000020000000970726f64c3bc63657200000000000000030000000000"
                + "00000400000000000000050000000000000006d8208897"),
        Arguments.of(
            new WrittenBundleSerializer(),
            new WrittenBundle(3, 7, bundle("a")),
            "000000030000000000000007000000470a10646174612f30302f612e62756e646c651080e497d0121898"
                + "dc97d0122084073004420408021001481050c096b1026a0d08fbffffffffffffffff01100a72060a016b"
                + "120176d2cf22a4"),
        Arguments.of(
            new CheckpointCommittableSerializer(),
            new CheckpointCommittable(PRODUCER, 42, List.of(bundle("a"), bundle("b"))),
            "000000000000000100000000000000020000000970726f64c3bc63657200000000000000030000000000"
                + "00000400000000000000050000000000000006000000000000002a00000002000000470a10646174612f"
                + "30302f612e62756e646c651080e497d0121898dc97d0122084073004420408021001481050c096b1026a"
                + "0d08fbffffffffffffffff01100a72060a016b120176000000470a10646174612f30302f622e62756e64"
                + "6c651080e497d0121898dc97d0122084073004420408021001481050c096b1026a0d08fbffffffffffff"
                + "ffff01100a72060a016b1201762a9cc049"),
        Arguments.of(
            new WriterStateSerializer(),
            new WriterState(
                STREAM,
                List.of(
                    Sample.ofTokens(9, 1, 2, 3).at(77),
                    Sample.ofBytes(8, ByteBuffer.wrap(new byte[] {1, 2})))),
            "0000000000000001000000000000000200000002000000280102010009000000000000004d0000000000"
                + "000000000000010000000200000003000000c3dd3b650000001a01010000080000000000000000000000"
                + "000000000102a41cbeea12adf989"));
  }

  private static StagedBundle bundle(String name) {
    return new StagedBundle(
        "data/00/" + name + ".bundle",
        5_000_000_000L,
        4_999_999_000L,
        900,
        4,
        new Mesh(2, 1),
        16,
        5_000_000L,
        new EventTimeRange(-5, 10),
        0,
        Map.of("k", "v"));
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void comesBackAsItWas(SimpleVersionedSerializer<T> serializer, T value, String golden)
      throws IOException {
    byte[] bytes = serializer.serialize(value);

    assertThat(serializer.deserialize(serializer.getVersion(), bytes)).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void theBytesOfVersionOneNeverChange(
      SimpleVersionedSerializer<T> serializer, T value, String golden) throws IOException {
    assertThat(HexFormat.of().formatHex(serializer.serialize(value))).isEqualTo(golden);
    assertThat(serializer.deserialize(1, HexFormat.of().parseHex(golden))).isEqualTo(value);
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void aNewerVersionIsRefused(SimpleVersionedSerializer<T> serializer, T value, String golden)
      throws IOException {
    byte[] bytes = serializer.serialize(value);
    int newer = serializer.getVersion() + 1;

    assertThatThrownBy(() -> serializer.deserialize(newer, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("state version " + newer + " not supported by this build");
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void everyCutIsRefused(SimpleVersionedSerializer<T> serializer, T value, String golden)
      throws IOException {
    byte[] bytes = serializer.serialize(value);

    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> serializer.deserialize(1, cut)).isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  <T> void everyFlippedByteIsRefused(
      SimpleVersionedSerializer<T> serializer, T value, String golden) throws IOException {
    byte[] bytes = serializer.serialize(value);

    for (int i = 0; i < bytes.length; i++) {
      byte[] flipped = bytes.clone();
      flipped[i] ^= 0x20;
      assertThatThrownBy(() -> serializer.deserialize(1, flipped)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void contentPast64KibibytesWorks() throws IOException {
    List<StagedBundle> bundles = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      bundles.add(bundle("键-" + i + "-" + "x".repeat(60)));
    }
    StagedBundle attributed =
        new StagedBundle(
            "data/00/long.bundle",
            100,
            50,
            30,
            1,
            new Mesh(1, 1),
            1,
            1,
            null,
            42,
            Map.of("long", "é".repeat(70_000)));
    bundles.add(attributed);
    CheckpointCommittable committable =
        new CheckpointCommittable(
            new ProducerState(STREAM, "ü".repeat(70_000), LINEAGE, OWNER), 1, bundles);
    CheckpointCommittableSerializer serializer = new CheckpointCommittableSerializer();

    byte[] bytes = serializer.serialize(committable);

    assertThat(bytes.length).isGreaterThan(400_000);
    assertThat(serializer.deserialize(1, bytes)).isEqualTo(committable);
  }

  @Test
  void aSamplePast64KibibytesWorks() throws IOException {
    WriterState state =
        new WriterState(STREAM, List.of(Sample.ofBytes(1, ByteBuffer.allocate(100_000))));
    WriterStateSerializer serializer = new WriterStateSerializer();

    assertThat(serializer.deserialize(1, serializer.serialize(state))).isEqualTo(state);
  }
}
