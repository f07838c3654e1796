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

import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import dev.lakestream.proto.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The bytes of a segment. Descriptors are relative to the segment's reference; children are
 * absolute.
 */
final class SegmentCodec {

  static final String MAGIC = "LKSS";
  static final int VERSION = 1;

  private SegmentCodec() {}

  static byte[] encodeLeaf(UUID streamId, long version, List<BundleDescriptor> bundles) {
    BundleDescriptor first = bundles.get(0);
    var builder = Segment.newBuilder().setStreamId(Uuids.toBytes(streamId)).setVersion(version);
    for (BundleDescriptor bundle : bundles) {
      builder.addDescriptors(
          ManifestProtos.toProto(bundle.movedBy(-first.firstStep(), -first.firstRow())));
    }
    return Frame.encode(MAGIC, VERSION, builder.build());
  }

  static byte[] encodeInner(UUID streamId, long version, int level, List<SegmentRef> children) {
    var builder =
        Segment.newBuilder()
            .setStreamId(Uuids.toBytes(streamId))
            .setVersion(version)
            .setLevel(level);
    children.forEach(child -> builder.addChildren(ManifestProtos.toProto(child)));
    return Frame.encode(MAGIC, VERSION, builder.build());
  }

  /** What a segment holds: bundles at level 0, references above. */
  record Content(List<BundleDescriptor> bundles, List<SegmentRef> children) {}

  static Content decode(ByteBuffer object, SegmentRef ref, UUID streamId, String what) {
    Segment proto = Frame.decode(object, MAGIC, VERSION, Segment.parser(), what);
    UUID found = Uuids.fromBytes(proto.getStreamId(), what);
    if (!found.equals(streamId)) {
      throw new CorruptObjectException(
          what + " belongs to stream " + found + ", not to " + streamId + ".");
    }
    if (proto.getLevel() != ref.level()) {
      throw new CorruptObjectException(
          what
              + " is of level "
              + proto.getLevel()
              + " and should be of level "
              + ref.level()
              + ".");
    }
    List<BundleDescriptor> bundles = new ArrayList<>();
    long step = ref.firstStep();
    for (var descriptor : proto.getDescriptorsList()) {
      BundleDescriptor bundle =
          ManifestProtos.fromProto(descriptor, what).movedBy(ref.firstStep(), ref.firstRow());
      step = contiguous(step, bundle.firstStep(), bundle.nextStep(), what);
      bundles.add(bundle);
    }
    List<SegmentRef> children = new ArrayList<>();
    for (var message : proto.getChildrenList()) {
      SegmentRef child = ManifestProtos.fromProto(message, what);
      if (child.level() >= ref.level()) {
        throw new CorruptObjectException(what + " refers to a segment of its own level or above.");
      }
      step = contiguous(step, child.firstStep(), child.nextStep(), what);
      children.add(child);
    }
    contiguous(step, ref.nextStep(), ref.nextStep(), what);
    return new Content(bundles, children);
  }

  private static long contiguous(long expected, long begin, long end, String what) {
    if (begin != expected || end < begin) {
      throw new CorruptObjectException(what + " has a hole at step " + expected + ".");
    }
    return end;
  }
}
