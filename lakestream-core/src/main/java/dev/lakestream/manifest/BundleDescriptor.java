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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
 * @param redactions what was taken out of its batches since, by batch
 */
public record BundleDescriptor(
    StagedBundle bundle,
    long firstStep,
    long firstRow,
    String producerId,
    long sequence,
    long version,
    long publishedAt,
    List<Redaction> redactions) {

  public BundleDescriptor {
    redactions = List.copyOf(redactions);
  }

  /** A bundle that nothing was taken out of. */
  public BundleDescriptor(
      StagedBundle bundle,
      long firstStep,
      long firstRow,
      String producerId,
      long sequence,
      long version,
      long publishedAt) {
    this(bundle, firstStep, firstRow, producerId, sequence, version, publishedAt, List.of());
  }

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
        bundle,
        firstStep + steps,
        firstRow + rows,
        producerId,
        sequence,
        version,
        publishedAt,
        redactions);
  }

  BundleDescriptor publishedIn(long manifest, long createdAt) {
    return new BundleDescriptor(
        bundle, firstStep, firstRow, producerId, sequence, manifest, createdAt, redactions);
  }

  /** What was taken out of {@code step}, one of the bundle's, after it was published. */
  public List<Redaction> redactions(long step) {
    return redactions.stream().filter(redaction -> firstStep + redaction.tgb() == step).toList();
  }

  /**
   * The same steps in another object, which lacks what {@code added} names.
   *
   * @throws IllegalArgumentException if the object has another shape
   */
  public BundleDescriptor redacted(StagedBundle rewritten, List<Redaction> added) {
    if (rewritten.tgbCount() != bundle.tgbCount()
        || !rewritten.mesh().equals(bundle.mesh())
        || added.isEmpty()
        || added.stream().anyMatch(redaction -> redaction.tgb() >= bundle.tgbCount())) {
      throw new IllegalArgumentException(
          rewritten.object() + " does not take the place of " + bundle.object() + ".");
    }
    List<Redaction> all = new ArrayList<>(redactions);
    all.addAll(added);
    all.sort(Comparator.comparingInt(Redaction::tgb));
    return new BundleDescriptor(
        rewritten, firstStep, firstRow, producerId, sequence, version, publishedAt, all);
  }

  /**
   * Whether a manifest may show this where an earlier one showed {@code before}: the same, or the
   * same steps with more taken out.
   */
  public boolean mayFollow(BundleDescriptor before) {
    return equals(before)
        || (redactions.size() > before.redactions.size()
            && redactions.containsAll(before.redactions)
            && firstStep == before.firstStep
            && firstRow == before.firstRow
            && nextStep() == before.nextStep()
            && bundle.mesh().equals(before.bundle.mesh())
            && producerId.equals(before.producerId)
            && sequence == before.sequence
            && version == before.version);
  }
}
