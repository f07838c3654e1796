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
package dev.lakestream.examples.quickstart;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The file in which a rank leaves all that it read, step by step, for the proof. Belongs to the
 * quickstart alone; a rank that trains keeps nothing but its cursor.
 */
final class RankStepLog {

  /**
   * What a rank read at one step.
   *
   * @param bytes of its slice
   * @param sequences in its slice
   * @param padding tokens among them
   */
  record Entry(long step, int bytes, int sequences, int padding, List<Delivery> deliveries) {}

  private RankStepLog() {}

  /** Writes a log. */
  static final class Writer implements AutoCloseable {

    private final DataOutputStream out;

    Writer(Path file) throws IOException {
      out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
    }

    void write(Entry entry) throws IOException {
      out.writeLong(entry.step());
      out.writeInt(entry.bytes());
      out.writeInt(entry.sequences());
      out.writeInt(entry.padding());
      out.writeInt(entry.deliveries().size());
      for (Delivery delivery : entry.deliveries()) {
        out.writeInt(delivery.sequence());
        out.writeLong(delivery.sampleId());
        out.writeInt(delivery.firstPosition());
        out.writeInt(delivery.tokens().length);
        for (int token : delivery.tokens()) {
          out.writeInt(token);
        }
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** Reads a log. */
  static final class Reader implements AutoCloseable {

    private final DataInputStream in;
    private final int rank;

    Reader(Path file, int rank) throws IOException {
      this.in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16));
      this.rank = rank;
    }

    /** The next step; empty at the end of the file. */
    Optional<Entry> next() throws IOException {
      in.mark(1);
      if (in.read() < 0) {
        return Optional.empty();
      }
      in.reset();
      long step = in.readLong();
      int bytes = in.readInt();
      int sequences = in.readInt();
      int padding = in.readInt();
      int runs = in.readInt();
      List<Delivery> deliveries = new ArrayList<>();
      for (int i = 0; i < runs; i++) {
        int sequence = in.readInt();
        long sampleId = in.readLong();
        int firstPosition = in.readInt();
        int[] tokens = new int[in.readInt()];
        for (int k = 0; k < tokens.length; k++) {
          tokens[k] = in.readInt();
        }
        deliveries.add(new Delivery(step, rank, sequence, sampleId, firstPosition, tokens));
      }
      return Optional.of(new Entry(step, bytes, sequences, padding, deliveries));
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
