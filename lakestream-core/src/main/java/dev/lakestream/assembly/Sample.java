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
package dev.lakestream.assembly;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What enters an assembler: one record or one document, or what a checkpoint kept of it. A sample
 * is a view: whoever makes it does not change the bytes or tokens afterwards.
 */
public sealed interface Sample {

  /**
   * Names the sample in slices and errors, unsigned. Unique where it can be; a running number if
   * the input has none.
   */
  long id();

  /** In milliseconds since the epoch; empty: unknown. */
  OptionalLong eventTime();

  /** What it has to say of its whole batch: the samples of a batch agree, or say nothing. */
  Map<String, String> attributes();

  /** How much memory its content takes, without its attributes. */
  long bytes();

  /** The same sample at an event time. */
  Sample at(long eventTime);

  /** The same sample with these attributes. */
  Sample with(Map<String, String> attributes);

  /** A sample of opaque bytes: the remaining ones of {@code payload}. */
  static Bytes ofBytes(long id, ByteBuffer payload) {
    return new Bytes(id, OptionalLong.empty(), payload);
  }

  /** A whole document. */
  static Tokens ofTokens(long id, int... tokens) {
    return new Tokens(id, OptionalLong.empty(), 0, IntBuffer.wrap(tokens));
  }

  /** An unsigned id as people read it. */
  static String idText(long id) {
    return Long.toUnsignedString(id);
  }

  /**
   * Opaque bytes.
   *
   * @param payload read-only, from position 0 to its limit; may be empty
   */
  record Bytes(long id, OptionalLong eventTime, ByteBuffer payload, Map<String, String> attributes)
      implements Sample {

    /** Without attributes. */
    public Bytes(long id, OptionalLong eventTime, ByteBuffer payload) {
      this(id, eventTime, payload, Map.of());
    }

    public Bytes {
      if (payload == null) {
        throw new InvalidSampleException("Sample " + idText(id) + " has no payload (null).");
      }
      payload = payload.slice().asReadOnlyBuffer();
      attributes = Map.copyOf(attributes);
    }

    /** A view of its own for each caller. */
    @Override
    public ByteBuffer payload() {
      return payload.duplicate();
    }

    @Override
    public long bytes() {
      return payload.remaining();
    }

    @Override
    public Bytes at(long eventTime) {
      return new Bytes(id, OptionalLong.of(eventTime), payload, attributes);
    }

    @Override
    public Bytes with(Map<String, String> attributes) {
      return new Bytes(id, eventTime, payload, attributes);
    }
  }

  /**
   * A document, or a piece of one that was cut.
   *
   * @param firstPosition of the first of these tokens in the document
   * @param tokens read-only, from position 0 to its limit; 1 or more
   */
  record Tokens(
      long id,
      OptionalLong eventTime,
      int firstPosition,
      IntBuffer tokens,
      Map<String, String> attributes)
      implements Sample {

    /** Without attributes. */
    public Tokens(long id, OptionalLong eventTime, int firstPosition, IntBuffer tokens) {
      this(id, eventTime, firstPosition, tokens, Map.of());
    }

    public Tokens {
      if (tokens == null || !tokens.hasRemaining()) {
        throw new InvalidSampleException(
            "Sample "
                + idText(id)
                + " has no tokens. Filter empty documents out before they are packed.");
      }
      if (firstPosition < 0 || firstPosition > Integer.MAX_VALUE - tokens.remaining()) {
        throw new InvalidSampleException(
            "Sample "
                + idText(id)
                + " has "
                + tokens.remaining()
                + " tokens from position "
                + firstPosition
                + "; positions are from 0 to 2^31 - 1.");
      }
      tokens = tokens.slice().asReadOnlyBuffer();
      attributes = Map.copyOf(attributes);
    }

    /** A view of its own for each caller. */
    @Override
    public IntBuffer tokens() {
      return tokens.duplicate();
    }

    /** How many tokens. */
    public int length() {
      return tokens.remaining();
    }

    @Override
    public long bytes() {
      return 4L * length();
    }

    @Override
    public Tokens at(long eventTime) {
      return new Tokens(id, OptionalLong.of(eventTime), firstPosition, tokens, attributes);
    }

    @Override
    public Tokens with(Map<String, String> attributes) {
      return new Tokens(id, eventTime, firstPosition, tokens, attributes);
    }

    /** A view of tokens {@code from … to - 1} of this piece. */
    Tokens piece(int from, int to) {
      return from == 0 && to == length()
          ? this
          : new Tokens(
              id, eventTime, firstPosition + from, tokens.slice(from, to - from), attributes);
    }

    /** The same with memory of its own, so that it does not hold on to the rest of its document. */
    Tokens detached() {
      int[] copy = new int[length()];
      tokens.get(0, copy);
      return new Tokens(id, eventTime, firstPosition, IntBuffer.wrap(copy), attributes);
    }
  }
}
