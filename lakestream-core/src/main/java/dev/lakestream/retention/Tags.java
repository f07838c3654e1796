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

import dev.lakestream.LakestreamException;
import dev.lakestream.commit.CommitLoop;
import dev.lakestream.commit.CommitMetrics;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.NextManifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.manifest.TrimmedException;
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listings;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The tags of a stream: {@code tag/<name>}.
 *
 * <p>Assumptions: a tag is created once and never changes, so that two people who choose the same
 * name find out. Steps that are being trimmed at the same moment are settled by a commit of the
 * tag's own: it fails, and takes the tag back, or the trim sees the tag.
 */
public final class Tags {

  /** What the names of all tags begin with. */
  public static final String PREFIX = "tag/";

  private static final int MAX_LENGTH = 64 * 1024;

  private final TrainingStream stream;

  public Tags(TrainingStream stream) {
    this.stream = stream;
  }

  /**
   * Pins the steps from {@code firstStep} to before {@code nextStep}.
   *
   * @throws TrimmedException if some of them have been reclaimed
   * @throws LakestreamException if some of them do not exist yet, the name is taken, or the commit
   *     did not get through; the tag is taken back then
   */
  public Tag create(String name, long firstStep, long nextStep, String comment) {
    Tag tag =
        new Tag(stream.id(), name, firstStep, nextStep, stream.time().currentTimeMillis(), comment);
    Manifest head = stream.log().newest();
    requireHeld(tag, head);
    if (nextStep > head.nextStep()) {
      throw new LakestreamException(
          "Tag \""
              + name
              + "\" ends at step "
              + nextStep
              + ", and "
              + stream
              + " ends at step "
              + head.nextStep()
              + ".");
    }
    byte[] bytes = TagCodec.encode(tag);
    if (create(tag, bytes) == CreateOutcome.TRY_AGAIN) {
      throw new LakestreamException(
          "The store could not decide on tag \"" + name + "\" of " + stream + "; try again.");
    }
    Tag kept = read(name).orElse(tag);
    if (!kept.equals(tag)) {
      throw new LakestreamException(
          "There is a tag \""
              + name
              + "\" of "
              + stream
              + " already, for steps "
              + kept.firstStep()
              + " to "
              + (kept.nextStep() - 1)
              + ". Remove it or choose another name.");
    }
    try {
      makeKnown(tag);
    } catch (LakestreamException notKnown) {
      takeBack(name, notKnown);
      throw notKnown;
    }
    return tag;
  }

  /** Who has lost the reply looks whether the tag is there: nobody else would make it known. */
  private CreateOutcome create(Tag tag, byte[] bytes) {
    try {
      return Futures.await(stream.store().createIfAbsent(key(tag.name()), Payload.of(bytes)));
    } catch (StoreException lost) {
      if (lost.fault().retryable() && read(tag.name()).equals(Optional.of(tag))) {
        return CreateOutcome.CREATED;
      }
      throw lost;
    }
  }

  /** A tag that a trim may pass must not look like one that holds. */
  private void takeBack(String name, LakestreamException why) {
    try {
      delete(name);
    } catch (LakestreamException stays) {
      why.addSuppressed(stays);
    }
  }

  /**
   * A commit that changes nothing. A trim that was decided without the tag either came before,
   * which its base shows, or loses its number to this commit, and is decided anew.
   */
  private void makeKnown(Tag tag) {
    new CommitLoop(
            stream, CommitSettings.DEFAULT, RandomGenerator.getDefault(), new CommitMetrics())
        .commit(
            base -> {
              requireHeld(tag, base);
              return Optional.of(new NextManifest(base, "tag"));
            });
  }

  private void requireHeld(Tag tag, Manifest head) {
    if (tag.firstStep() < head.firstStep()) {
      throw new TrimmedException(stream.id(), tag.firstStep(), head.firstStep());
    }
  }

  /** The tag; empty if there is none of the name. */
  public Optional<Tag> read(String name) {
    return readKey(key(Tag.requireName(name)));
  }

  /** All tags, by name. */
  public List<Tag> all() {
    List<Tag> found = new ArrayList<>();
    Listings.forEach(
        stream.store(),
        PREFIX,
        entry -> {
          if (Tag.isName(entry.key().substring(PREFIX.length()))) {
            readKey(entry.key()).ifPresent(found::add);
          }
        });
    return found;
  }

  /** Removes the tag; returns whether there was one. */
  public boolean delete(String name) {
    boolean there = read(name).isPresent();
    Futures.await(stream.store().delete(key(name)));
    return there;
  }

  private Optional<Tag> readKey(String key) {
    String what = "The tag " + stream.store().address() + "/" + key;
    try {
      int length = (int) Math.min(MAX_LENGTH, Futures.await(stream.store().length(key)));
      Tag tag = TagCodec.decode(Futures.await(stream.store().read(key, 0, length)), what);
      if (!tag.streamId().equals(stream.id()) || !key.equals(key(tag.name()))) {
        throw new CorruptObjectException(what + " is of another stream or name: " + tag + ".");
      }
      return Optional.of(tag);
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static String key(String name) {
    return PREFIX + name;
  }
}
