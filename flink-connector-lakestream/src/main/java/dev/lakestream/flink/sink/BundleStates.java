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

import com.google.protobuf.InvalidProtocolBufferException;
import dev.lakestream.batch.Messages;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.flink.StateInput;
import dev.lakestream.flink.StateOutput;
import dev.lakestream.proto.BundleDescriptor;
import java.io.IOException;

/**
 * Staged bundles in state: the stream format's own descriptor, without place and producer, so that
 * the two never drift apart.
 */
final class BundleStates {

  private BundleStates() {}

  static void write(StateOutput out, StagedBundle bundle) {
    BundleDescriptor.Builder message =
        BundleDescriptor.newBuilder()
            .setObject(bundle.object())
            .setObjectLength(bundle.objectLength())
            .setFooterOffset(bundle.footerOffset())
            .setFooterLength(bundle.footerLength())
            .setTgbCount(bundle.tgbCount())
            .setMesh(Messages.toMessage(bundle.mesh()))
            .setRecords(bundle.records())
            .setRawBytes(bundle.rawBytes())
            .setSectionStride(bundle.sectionStride())
            .putAllAttributes(bundle.attributes());
    if (bundle.eventTime() != null) {
      message.setEventTime(Messages.toMessage(bundle.eventTime()));
    }
    out.putBytes(message.build().toByteArray());
  }

  static StagedBundle read(StateInput in, String what) throws IOException {
    BundleDescriptor message;
    try {
      message = BundleDescriptor.parseFrom(in.readBytes());
    } catch (InvalidProtocolBufferException e) {
      throw new IOException(what + " holds a bundle that cannot be decoded.", e);
    }
    return new StagedBundle(
        message.getObject(),
        message.getObjectLength(),
        message.getFooterOffset(),
        message.getFooterLength(),
        message.getTgbCount(),
        Messages.fromMessage(message.getMesh(), what),
        message.getRecords(),
        message.getRawBytes(),
        message.hasEventTime() ? Messages.fromMessage(message.getEventTime(), what) : null,
        message.getSectionStride(),
        message.getAttributesMap());
  }
}
