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
package dev.lakestream.batch;

import dev.lakestream.format.Frame;
import dev.lakestream.format.Uuids;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a bundle, relative to the stream: {@code
 * data/<hash2>/<owner>-<after-checkpoint>-<subtask>-<uuid>.bundle}. It carries what reclamation
 * needs to prove that an unreferenced bundle is garbage: whose it is, and after which checkpoint it
 * was opened.
 *
 * @param owner the submission that wrote it
 * @param afterCheckpoint the newest sequence (Flink: checkpoint id) that was complete when the
 *     bundle was opened, 0 or more
 * @param subtask which of the parallel writers, 0 or more
 * @param id random
 */
public record BundleName(UUID owner, long afterCheckpoint, int subtask, UUID id) {

  /** What the names of all bundles begin with. */
  public static final String PREFIX = "data/";

  private static final Pattern NAME =
      Pattern.compile(
          "data/[0-9a-f]{2}/([0-9a-f]{32})-([0-9]{1,19})-([0-9]{1,10})-([0-9a-f]{32})\\.bundle");

  public BundleName {
    if (owner == null || id == null || afterCheckpoint < 0 || subtask < 0) {
      throw new IllegalArgumentException(
          "No bundle is named by owner "
              + owner
              + ", checkpoint "
              + afterCheckpoint
              + ", subtask "
              + subtask
              + ", id "
              + id
              + ".");
    }
  }

  /** A new name, not used before. */
  public static BundleName create(UUID owner, long afterCheckpoint, int subtask) {
    return new BundleName(owner, afterCheckpoint, subtask, UUID.randomUUID());
  }

  /** The name's parts; empty for whatever {@link #object()} cannot have made. */
  public static Optional<BundleName> parse(String object) {
    Matcher parts = NAME.matcher(object);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      BundleName name =
          new BundleName(
              Uuids.fromHex(parts.group(1)),
              Long.parseLong(parts.group(2)),
              Integer.parseInt(parts.group(3)),
              Uuids.fromHex(parts.group(4)));
      // A leading zero or another hash: not a name of ours, however much it looks like one.
      return name.object().equals(object) ? Optional.of(name) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** As in the store, relative to the stream. */
  public String object() {
    return PREFIX
        + hash2()
        + "/"
        + Uuids.hex(owner)
        + "-"
        + afterCheckpoint
        + "-"
        + subtask
        + "-"
        + Uuids.hex(id)
        + ".bundle";
  }

  /** Spreads the keys: stores limit requests per prefix, and a UUID's own digits need not do so. */
  private String hash2() {
    int crc = Frame.crc32c(Uuids.toBytes(id).asReadOnlyByteBuffer()) & 0xff;
    return "" + Character.forDigit(crc >> 4, 16) + Character.forDigit(crc & 15, 16);
  }

  @Override
  public String toString() {
    return object();
  }
}
