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

import com.google.protobuf.ByteString;
import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.StagedBundle;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Small objects whose bytes are written down in the tests of the codecs. */
final class Golden {

  static final UUID STREAM = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
  static final UUID OWNER = new UUID(0x2121212121212121L, 0x2121212121212121L);

  static final StreamInfo INFO =
      new StreamInfo(STREAM, 1000, new Mesh(2, 3), "raw", "s", Map.of("b", "2", "a", "1"));

  static final BundleDescriptor BUNDLE =
      new BundleDescriptor(
          new StagedBundle(
              "data/00/x.bundle",
              296,
              200,
              80,
              2,
              new Mesh(2, 1),
              5,
              150,
              new EventTimeRange(-1, 1),
              96,
              Map.of("k", "v")),
          4,
          8,
          "p",
          3);

  static final SegmentRef ROOT =
      new SegmentRef("segment/00/x.segment", 500, 0x01020304, 1, 0, 4, 0, 8, 2, 10, 300, null);

  static final Manifest PARENT =
      new Manifest(
          STREAM,
          1,
          new UUID(0x3131313131313131L, 0x3131313131313131L),
          Optional.of(new UUID(0x3030303030303030L, 0x3030303030303030L)),
          1000,
          0,
          0,
          4,
          8,
          Optional.of(ROOT),
          List.of(),
          List.of(),
          10,
          300,
          "append");

  static final Manifest CHILD =
      new Manifest(
          STREAM,
          2,
          new UUID(0x3232323232323232L, 0x3232323232323232L),
          Optional.of(PARENT.commitId()),
          1001,
          1,
          2,
          6,
          12,
          Optional.of(ROOT),
          List.of(BUNDLE),
          List.of(
              new ProducerEntry(
                  "p",
                  List.of(new Owner(OWNER, OWNER, "j", 999)),
                  List.of(
                      new Lineage(
                          OWNER, 3, Optional.of(OWNER), 2, ByteString.copyFromUtf8("@"), 6)),
                  1001,
                  ForgottenOwners.NONE)),
          15,
          450,
          "append");

  private Golden() {}

  /** Bytes written as hex; what follows a # is a remark. */
  static byte[] bytes(String annotated) {
    return HexFormat.of().parseHex(annotated.replaceAll("#[^\n]*", "").replaceAll("\\s", ""));
  }
}
