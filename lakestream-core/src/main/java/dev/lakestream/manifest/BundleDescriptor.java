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

import dev.lakestream.batch.StagedBundle;
import dev.lakestream.format.Frame;
import java.nio.ByteBuffer;

/**
 * A bundle at its place in the stream.
 *
 * @param bundle the object and what it holds
 * @param firstStep the step of its first TGB
 * @param firstRow the row of the first replica of its first TGB; a row is one replica's part of one
 *     step
 * @param producerId who published it
 * @param sequence under which of the producer's sequences (Flink: the checkpoint id)
 * @param version of the manifest that published it
 * @param publishedAt when that manifest was created; in step order it never decreases; 0: unknown
 */
public record BundleDescriptor(
    StagedBundle bundle,
    long firstStep,
    long firstRow,
    String producerId,
    long sequence,
    long version,
    long publishedAt) {

  /** A bundle that no manifest holds yet. */
  public BundleDescriptor(
      StagedBundle bundle, long firstStep, long firstRow, String producerId, long sequence) {
    this(bundle, firstStep, firstRow, producerId, sequence, 0, 0);
  }

  /** As the stream's format writes it, for those who keep a descriptor outside of the stream. */
  public byte[] toBytes() {
    var message = ManifestProtos.toProto(this);
    ByteBuffer out = ByteBuffer.allocate(message.getSerializedSize());
    Frame.putMessage(out, message);
    return out.array();
  }

  /**
   * What {@link #toBytes} wrote.
   *
   * @param what names the place of the bytes in errors
   * @throws dev.lakestream.format.CorruptObjectException if they are no descriptor
   */
  public static BundleDescriptor fromBytes(byte[] bytes, String what) {
    var parser = dev.lakestream.proto.BundleDescriptor.parser();
    return ManifestProtos.fromProto(Frame.parse(ByteBuffer.wrap(bytes), parser, what), what);
  }

  /** One past the last step in the bundle. */
  public long nextStep() {
    return firstStep + bundle.tgbCount();
  }

  /** One past the last row in the bundle. */
  public long nextRow() {
    return firstRow + bundle.rows();
  }

  /** The row at which {@code step}, one of the bundle's, begins. */
  public long rowOf(long step) {
    return firstRow + (step - firstStep) * bundle.mesh().dp();
  }

  BundleDescriptor movedBy(long steps, long rows) {
    return new BundleDescriptor(
        bundle, firstStep + steps, firstRow + rows, producerId, sequence, version, publishedAt);
  }

  BundleDescriptor publishedIn(long manifest, long createdAt) {
    return new BundleDescriptor(
        bundle, firstStep, firstRow, producerId, sequence, manifest, createdAt);
  }
}
