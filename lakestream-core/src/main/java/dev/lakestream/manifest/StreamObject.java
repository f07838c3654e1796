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
import dev.lakestream.store.CreateOutcome;
import dev.lakestream.store.Fault;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import dev.lakestream.store.StoreException;
import dev.lakestream.store.Suffix;
import dev.lakestream.store.Time;
import java.time.Duration;

/** The object {@code stream}, and how objects are created of which there is one. */
final class StreamObject {

  /** A stream object larger than this is not one. */
  private static final int MAX_LENGTH = 16 * 1024 * 1024;

  /** Covers it whole in one request, unless its schema is long. */
  private static final int USUAL_LENGTH = 64 * 1024;

  private static final int CREATE_TRIES = 10;

  private StreamObject() {}

  /**
   * @throws StreamNotFoundException if there is none
   */
  static StreamInfo read(ObjectStore store) {
    try {
      Suffix suffix = Futures.await(store.readSuffix(StreamKeys.STREAM, USUAL_LENGTH));
      long length = suffix.objectLength();
      String what = "The stream object of " + store.address();
      if (length > MAX_LENGTH) {
        throw new CorruptObjectException(what + " is no stream object: " + length + " bytes.");
      }
      var bytes =
          suffix.offset() == 0
              ? suffix.bytes()
              : Futures.await(store.read(StreamKeys.STREAM, 0, (int) length));
      return StreamCodec.decode(bytes, what);
    } catch (StoreException e) {
      if (e.fault() == Fault.MISSING) {
        throw new StreamNotFoundException(store.address(), e);
      }
      throw e;
    }
  }

  static void create(ObjectStore store, StreamInfo wanted, Time time) {
    create(store, StreamKeys.STREAM, StreamCodec.encode(wanted), time);
  }

  /**
   * Whoever creates it, it is there afterwards: an unknown outcome is settled by the read that
   * follows.
   */
  static void create(ObjectStore store, String key, byte[] bytes, Time time) {
    for (int attempt = 1; ; attempt++) {
      try {
        CreateOutcome outcome = Futures.await(store.createIfAbsent(key, Payload.of(bytes)));
        if (outcome != CreateOutcome.TRY_AGAIN) {
          return;
        }
        if (attempt >= CREATE_TRIES) {
          throw new StoreException(
              Fault.TRANSIENT,
              "Could not create "
                  + key
                  + " at "
                  + store.address()
                  + ": the store answered "
                  + attempt
                  + " times that the request conflicts with another (409). Try again.");
        }
      } catch (StoreException e) {
        if (!e.fault().retryable() || attempt >= CREATE_TRIES) {
          throw e;
        }
      }
      time.sleep(Duration.ofMillis(50L << Math.min(attempt, 6)));
    }
  }
}
