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
package dev.lakestream.cli;

import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.TokenSlice;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** How a slice is shown. */
enum SliceView {
  /** Offsets, bytes and characters. */
  HEX {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      print(out, text -> hex(slice.bytes().duplicate(), text));
    }
  },
  /** As UTF-8. */
  TEXT {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      print(out, text -> text.println(StandardCharsets.UTF_8.decode(slice.bytes().duplicate())));
    }
  },
  /** As they are. */
  RAW {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      WritableByteChannel channel = Channels.newChannel(out);
      ByteBuffer bytes = slice.bytes().duplicate();
      while (bytes.hasRemaining()) {
        int unused = channel.write(bytes);
      }
    }
  },
  /** One record a line. */
  RECORDS {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      RecordSlice records = RecordSlice.decode(slice.bytes(), what);
      print(
          out,
          text -> {
            text.println(what + ": " + Text.count(records.count(), "record") + ".");
            for (int i = 0; i < records.count() && !text.checkError(); i++) {
              ByteBuffer record = records.record(i);
              text.println(i + "  " + Text.size(record.remaining()) + "  " + shown(record));
            }
          });
    }
  },
  /** Rows of a table, one a line. */
  ARROW {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      print(out, text -> ArrowText.print(slice, what, text));
    }
  },
  /** Sequences, with the documents in them. */
  TOKENS {
    @Override
    void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
        throws IOException {
      TokenSlice tokens = TokenSlice.decode(slice.bytes(), what);
      print(out, text -> tokens(tokens, what, decoding, text));
    }
  };

  private static final int HEX_WIDTH = 16;
  private static final int TOKENS_A_LINE = 16;

  /** Writes the slice; {@code what} names it. */
  abstract void write(Slice slice, String what, SliceDecoding decoding, OutputStream out)
      throws IOException;

  private interface Printing {
    void to(PrintWriter text);
  }

  private static void print(OutputStream out, Printing printing) {
    PrintWriter text = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    printing.to(text);
    text.flush();
  }

  private static void hex(ByteBuffer bytes, PrintWriter text) {
    byte[] line = new byte[HEX_WIDTH];
    for (long offset = 0; bytes.hasRemaining() && !text.checkError(); offset += HEX_WIDTH) {
      int length = Math.min(HEX_WIDTH, bytes.remaining());
      bytes.get(line, 0, length);
      StringBuilder codes = new StringBuilder();
      StringBuilder characters = new StringBuilder();
      for (int i = 0; i < HEX_WIDTH; i++) {
        codes.append(i == HEX_WIDTH / 2 ? "  " : " ");
        codes.append(i < length ? String.format(Locale.ROOT, "%02x", line[i]) : "  ");
        if (i < length) {
          characters.append(line[i] >= ' ' && line[i] < 127 ? (char) line[i] : '.');
        }
      }
      text.println(String.format(Locale.ROOT, "%08x %s  |%s|", offset, codes, characters));
    }
  }

  /** A record as text if it is some, as hex digits otherwise. */
  private static String shown(ByteBuffer record) {
    try {
      return Text.printable(
          StandardCharsets.UTF_8.newDecoder().decode(record.duplicate()).toString());
    } catch (CharacterCodingException e) {
      StringBuilder hex = new StringBuilder("0x");
      ByteBuffer bytes = record.duplicate();
      while (bytes.hasRemaining()) {
        hex.append(String.format(Locale.ROOT, "%02x", bytes.get()));
      }
      return hex.toString();
    }
  }

  private static void tokens(
      TokenSlice slice, String what, SliceDecoding decoding, PrintWriter text) {
    if (slice.count() == 0) {
      text.println(what + ": empty.");
      return;
    }
    int chunk = slice.format().chunkLength();
    text.println(
        what
            + ": "
            + Text.count(slice.count(), "sequence")
            + " of "
            + Text.count(slice.format().sequenceLength(), "token")
            + "; tokens "
            + slice.chunk() * chunk
            + " to "
            + ((slice.chunk() + 1) * chunk - 1)
            + " of each are here.");
    for (int i = 0; i < slice.count() && !text.checkError(); i++) {
      List<TokenSlice.Boundary> documents = slice.boundaries(i);
      text.println();
      text.println(
          "sequence "
              + i
              + ": "
              + Text.count(slice.paddingFrom(i), "token")
              + " and "
              + (slice.format().sequenceLength() - slice.paddingFrom(i))
              + " of padding in "
              + Text.count(documents.size(), "document"));
      documents(slice, i, documents, decoding, text);
    }
  }

  /** The parts of documents that lie in this chunk. */
  private static void documents(
      TokenSlice slice,
      int sequence,
      List<TokenSlice.Boundary> documents,
      SliceDecoding decoding,
      PrintWriter text) {
    int[] tokens = slice.tokens(sequence);
    int[] segments = slice.segmentIds(sequence);
    int[] positions = slice.positions(sequence);
    int from = 0;
    while (from < tokens.length) {
      int to = from + 1;
      while (to < tokens.length && segments[to] == segments[from]) {
        to++;
      }
      if (segments[from] > 0) {
        long sample = documents.get(segments[from] - 1).sampleId();
        text.println(
            "  sample "
                + Long.toUnsignedString(sample)
                + " from its token "
                + positions[from]
                + ", "
                + Text.count(to - from, "token"));
        int[] part = Arrays.copyOfRange(tokens, from, to);
        Optional<String> decoded = decoding.text(part);
        if (decoded.isPresent()) {
          text.println("    " + Text.printable(decoded.get()));
        } else {
          numbers(part, text);
        }
      }
      from = to;
    }
  }

  private static void numbers(int[] tokens, PrintWriter text) {
    for (int from = 0; from < tokens.length; from += TOKENS_A_LINE) {
      int to = Math.min(tokens.length, from + TOKENS_A_LINE);
      text.println(
          Arrays.stream(tokens, from, to)
              .mapToObj(token -> String.format(Locale.ROOT, "%6d", token))
              .collect(Collectors.joining(" ", "    ", "")));
    }
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
