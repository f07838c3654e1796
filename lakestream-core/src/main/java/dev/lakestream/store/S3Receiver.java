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
package dev.lakestream.store;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.async.SdkPublisher;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Puts the bodies of one or more replies into one buffer, and checks of each reply that it is the
 * range that was asked for. A reply with the whole object in place of a range is cut to the range;
 * nothing is allocated before a reply has stated that the bytes are there.
 *
 * <p>Replies come one after the other, and each is received by one thread at a time.
 */
final class S3Receiver implements AsyncResponseTransformer<GetObjectResponse, Void> {

  /** A server that ignores ranges costs the bytes before the range: more than this is refused. */
  private static final long MAX_SKIP = 256L << 20;

  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes\\s+(\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)");

  private final String bucket;
  private final String key;
  private final int wanted;
  private final boolean suffix;
  private final ReadObserver observer;

  /** Where the buffer begins in the object; -1: known with the first reply to a suffix request. */
  private volatile long offset;

  private volatile ByteBuffer buffer;
  private volatile long objectLength = -1;
  private volatile String etag;
  private volatile CompletableFuture<Void> reply;
  private long skip;

  private S3Receiver(
      String bucket, String key, long offset, int wanted, boolean suffix, ReadObserver observer) {
    this.bucket = bucket;
    this.key = key;
    this.offset = offset;
    this.wanted = wanted;
    this.suffix = suffix;
    this.observer = observer;
  }

  static S3Receiver ofRange(
      String bucket, String key, long offset, int length, ReadObserver observer) {
    return new S3Receiver(bucket, key, offset, length, false, observer);
  }

  static S3Receiver ofSuffix(String bucket, String key, int length) {
    return new S3Receiver(bucket, key, -1, length, true, piece -> {});
  }

  /** The header of the next request: what is still missing. */
  String nextRange() {
    if (buffer == null) {
      return suffix ? "bytes=-" + wanted : "bytes=" + offset + "-" + (offset + wanted - 1);
    }
    return "bytes=" + (offset + received()) + "-" + (offset + buffer.capacity() - 1);
  }

  /** Of the object whose bytes were received so far. */
  Optional<String> etag() {
    return Optional.ofNullable(etag);
  }

  int received() {
    return buffer == null ? 0 : buffer.position();
  }

  int expected() {
    return buffer == null ? wanted : buffer.capacity();
  }

  long objectLength() {
    return objectLength;
  }

  /** The complete range. */
  ByteBuffer bytes() {
    return buffer.flip();
  }

  String what() {
    return suffix && offset < 0
        ? "the last %d bytes of '%s' in bucket '%s'".formatted(wanted, key, bucket)
        : "bytes %d to %d of '%s' in bucket '%s'"
            .formatted(offset, offset + expected() - 1, key, bucket);
  }

  @Override
  public CompletableFuture<Void> prepare() {
    reply = new CompletableFuture<>();
    return reply;
  }

  @Override
  public void onResponse(GetObjectResponse response) {
    try {
      accept(response);
    } catch (StoreException e) {
      reply.completeExceptionally(e);
    }
  }

  private void accept(GetObjectResponse response) {
    long first = 0;
    long last;
    long total;
    if (response.contentRange() == null) {
      if (response.sdkHttpResponse() != null && response.sdkHttpResponse().statusCode() == 206) {
        throw wrong("a part without saying which");
      }
      if (response.contentLength() == null) {
        throw wrong("no length");
      }
      total = response.contentLength();
      last = total - 1;
    } else {
      Matcher range = CONTENT_RANGE.matcher(response.contentRange());
      if (!range.matches()) {
        throw wrong("'" + response.contentRange() + "'");
      }
      first = Long.parseLong(range.group(1));
      last = Long.parseLong(range.group(2));
      total = range.group(3).equals("*") ? -1 : Long.parseLong(range.group(3));
    }
    if (buffer == null) {
      begin(first, last, total);
      etag = response.eTag();
    } else if (!Objects.equals(etag, response.eTag())) {
      throw wrong("another version of the object (its ETag changed)");
    }
    long next = offset + received();
    if (first > next || last < next || (first != next && response.contentRange() != null)) {
      throw wrong("bytes " + first + " to " + last);
    }
    skip = next - first;
    if (skip > MAX_SKIP) {
      throw new StoreException(
          Fault.INVALID,
          "The store ignores ranges: it answers a request for %s with the whole object. Use one that has them."
              .formatted(what()));
    }
  }

  private void begin(long first, long last, long total) {
    objectLength = total;
    if (!suffix) {
      if (total >= 0 && offset + wanted > total) {
        throw new StoreException(
            Fault.OUT_OF_RANGE, "%s: the object has %d bytes.".formatted(what(), total));
      }
      if (first > offset || last < offset) {
        throw wrong("bytes " + first + " to " + last);
      }
      buffer = ByteBuffer.allocate(wanted);
      return;
    }
    if (total < 0) {
      throw wrong("an unknown length");
    }
    int length = (int) Math.min(wanted, total);
    if (last != total - 1 || first > total - length) {
      throw wrong("bytes " + first + " to " + last + " of " + total);
    }
    offset = total - length;
    buffer = ByteBuffer.allocate(length);
  }

  private StoreException wrong(String got) {
    return new StoreException(
        Fault.SHORT_REPLY, "Asked for %s, the store sent %s.".formatted(what(), got));
  }

  @Override
  public void onStream(SdkPublisher<ByteBuffer> body) {
    body.subscribe(new Body(reply));
  }

  @Override
  public void exceptionOccurred(Throwable error) {
    reply.completeExceptionally(error);
  }

  /** One reply's body. */
  private final class Body implements Subscriber<ByteBuffer> {
    private final CompletableFuture<Void> done;
    private Subscription subscription;

    Body(CompletableFuture<Void> done) {
      this.done = done;
    }

    @Override
    public void onSubscribe(Subscription body) {
      subscription = body;
      if (done.isDone()) {
        body.cancel(); // refused by its headers
      } else {
        body.request(Long.MAX_VALUE);
      }
    }

    @Override
    public void onNext(ByteBuffer bytes) {
      synchronized (S3Receiver.this) {
        // A reply that was given up may still be talking while the next one is heard.
        if (done == reply && !done.isDone()) {
          keep(bytes);
        }
      }
    }

    private void keep(ByteBuffer bytes) {
      int skipped = (int) Math.min(skip, bytes.remaining());
      skip -= skipped;
      ByteBuffer rest = bytes.slice(bytes.position() + skipped, bytes.remaining() - skipped);
      ByteBuffer target = buffer;
      rest.limit(Math.min(rest.limit(), target.remaining()));
      observer.received(rest.duplicate());
      target.put(rest);
      if (!target.hasRemaining() && rest.limit() < rest.capacity()) {
        // More than was asked for follows: there is no need to hear it to its end.
        done.complete(null);
        subscription.cancel();
      }
    }

    @Override
    public void onError(Throwable error) {
      done.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
      if (buffer.hasRemaining()) {
        done.completeExceptionally(
            new StoreException(
                Fault.SHORT_REPLY,
                "The reply with %s ended after %d of %d bytes."
                    .formatted(what(), received(), expected())));
      } else {
        done.complete(null);
      }
    }
  }
}
