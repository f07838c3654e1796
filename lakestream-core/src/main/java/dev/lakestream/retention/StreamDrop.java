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

import dev.lakestream.manifest.StreamKeys;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.Listing;
import java.util.List;
import java.util.OptionalLong;

/**
 * Removes a stream, whatever still writes or reads it. First it is ended ({@link
 * TrainingStream#end}), then its objects are deleted, and the {@code stream} object last.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>Jobs may be running. Ending is a conditional create of the next manifest, as any commit:
 *       one of the two gets the number, and a commit that comes later, however much later, fails
 *       with {@link dev.lakestream.manifest.StreamDroppedException}. So the last manifest stays for
 *       good, and a stream that is created at the address later numbers its own above it. What a
 *       job uploads after the last listing stays as garbage that nothing refers to.
 *   <li>It may die anywhere. Until the {@code stream} object is deleted the stream can be opened
 *       and dropped again, but neither read nor written; there is no state in which numbers or
 *       steps begin again under one stream id.
 *   <li>Two may drop one stream at once, and a third create one in its place meanwhile. Names of
 *       bundles and segments are random and manifests above the last are never touched; the other
 *       objects are deleted only while the {@code stream} object, asked after they were listed, is
 *       still the dropped one. One who sleeps between that answer and the deletion of a watermark,
 *       a tag or the {@code stream} object deletes that of the new stream: no store deletes on
 *       condition. The new stream then has to be created again, and its writers are told.
 *   <li>Folder markers, and what else no call of ours can name, are not ours: they stay.
 * </ul>
 */
public final class StreamDrop {

  private static final int PAGE = 1000;

  /** What is uploaded meanwhile is listed again, but not for ever. */
  private static final int PASSES = 5;

  private final TrainingStream stream;

  private StreamDrop(TrainingStream stream) {
    this.stream = stream;
  }

  /**
   * Drops the stream.
   *
   * @throws dev.lakestream.LakestreamException if it could not be ended, or not all of it be
   *     deleted; to be repeated then
   */
  public static void run(TrainingStream stream) {
    new StreamDrop(stream).run();
  }

  private void run() {
    long last = stream.end();
    for (int pass = 0; pass < PASSES && deleteBelow(last) > 0; pass++) {
      // again
    }
    if (stream.isThere()) {
      Futures.await(stream.store().delete(StreamKeys.STREAM));
    }
  }

  /** Returns how many objects were deleted. */
  private long deleteBelow(long lastManifest) {
    long deleted = 0;
    String after = "";
    boolean more = true;
    while (more) {
      Listing page = Futures.await(stream.store().list("", after, PAGE));
      List<String> keys =
          page.objects().stream()
              .map(Listing.Entry::key)
              .filter(key -> isToGo(key, lastManifest))
              .toList();
      if (!keys.isEmpty() && !stream.isThere()) {
        return 0; // another has finished this drop
      }
      keys.stream().map(stream.store()::delete).toList().forEach(Futures::await);
      deleted += keys.size();
      more = page.truncated() && !page.objects().isEmpty();
      after = more ? page.objects().get(page.objects().size() - 1).key() : after;
    }
    return deleted;
  }

  private static boolean isToGo(String key, long lastManifest) {
    OptionalLong version = StreamKeys.manifestVersion(key);
    return !key.equals(StreamKeys.STREAM)
        && !key.isEmpty()
        && !key.startsWith("/")
        && !key.endsWith("/")
        && !key.contains("//")
        && (version.isEmpty() || version.getAsLong() < lastManifest);
  }
}
