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
package dev.lakestream.consumer.topology;

import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.consumer.topology.WrittenSteps.Bundle;
import dev.lakestream.consumer.topology.WrittenSteps.Position;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;

/**
 * The vectors that hold the readers of all languages to docs/topology.md, which says at its end
 * what the fields mean. One case is one line of JSON.
 */
final class TopologyVectors {

  /** To the end of the stream. */
  private static final int ALL = -1;

  private static final int[][] WRITTEN = {{1, 1}, {2, 1}, {4, 1}, {2, 2}, {3, 2}, {1, 4}};
  private static final int[][] READ = {
    {1, 1}, {2, 1}, {3, 1}, {4, 1}, {8, 1}, {1, 2}, {2, 2}, {2, 4}, {1, 3}
  };

  private final List<String> cases = new ArrayList<>();

  /**
   * Some consumer steps with one mesh.
   *
   * @param fromStep where it starts; -1: from the cursor of the leg before
   * @param take so many consumer steps; {@link #ALL}: while the stream holds one
   */
  private record Leg(ReadMode mode, Mesh mesh, long fromStep, int take) {}

  static String text() {
    TopologyVectors vectors = new TopologyVectors();
    vectors.add();
    return "{\"format\": 2,\n"
        + " \"part_fields\": [\"step\", \"d\", \"c\", \"from_record\", \"to_record\", \"from_column\","
        + " \"to_column\"],\n"
        + " \"cases\": [\n  "
        + String.join(",\n  ", vectors.cases)
        + "\n]}\n";
  }

  private void add() {
    for (int[] written : WRITTEN) {
      for (int[] read : READ) {
        Mesh mesh = new Mesh(written[0], written[1]);
        Mesh reader = new Mesh(read[0], read[1]);
        for (String format : List.of(SliceFormats.RECORDS, SliceFormats.TOKENS, SliceFormats.RAW)) {
          addMeshes(ReadMode.ROWS, format, mesh, reader);
          addMeshes(ReadMode.BATCH, format, mesh, reader);
        }
      }
    }
    addMeshes(ReadMode.ROWS, SliceFormats.ARROW, new Mesh(2, 2), new Mesh(3, 4));
    addMeshes(ReadMode.BATCH, SliceFormats.ARROW, new Mesh(2, 2), new Mesh(3, 4));
    for (String format : List.of(SliceFormats.RECORDS, SliceFormats.TOKENS, SliceFormats.RAW)) {
      addMeshes(ReadMode.EXACT, format, new Mesh(2, 2), new Mesh(2, 2));
      addMeshes(ReadMode.EXACT, format, new Mesh(2, 2), new Mesh(4, 2));
      addMeshes(ReadMode.EXACT, format, new Mesh(2, 2), new Mesh(2, 1));
    }
    addCounts();
    addSequences();
    addMeshChanges();
    addMixedChunks();
    addChains();
    addCursors();
  }

  /** Two bundles of one mesh, with enough rows for a consumer step or two. */
  private void addMeshes(ReadMode mode, String format, Mesh written, Mesh reader) {
    int steps = mode == ReadMode.ROWS ? Math.max(2, reader.dp() / written.dp() + 1) : 2;
    WrittenSteps stream = stream(format, 24);
    bundle(stream, written, 1, r -> (r * 7 + 2) % 5);
    bundle(stream, written, steps, r -> r + 1);
    add(
        "%s %s: %s read as %s".formatted(mode, format, written, reader),
        format,
        stream,
        new Leg(mode, reader, 0, 2));
  }

  /** What evens out and what does not. */
  private void addCounts() {
    List<Function<Integer, Integer>> patterns =
        List.of(r -> 0, r -> 1, r -> r == 0 ? 10 : 0, r -> r % 3 == 1 ? 7 : 0, r -> 2_000_000_000);
    for (int p = 0; p < patterns.size(); p++) {
      for (int[] read : new int[][] {{1, 1}, {3, 1}, {5, 2}, {7, 1}}) {
        Mesh reader = new Mesh(read[0], read[1]);
        WrittenSteps stream = stream(SliceFormats.RECORDS, 0);
        bundle(stream, new Mesh(4, 2), 1, patterns.get(p));
        add(
            "batch: record counts of pattern %d, read as %s".formatted(p, reader),
            SliceFormats.RECORDS,
            stream,
            new Leg(ReadMode.BATCH, reader, 0, ALL));
      }
    }
    WrittenSteps damaged = WrittenSteps.of(SliceShape.CHUNKED, 24);
    damaged.bundle(new Mesh(2, 2), List.of(List.of(3, 2, 3, 3)));
    add(
        "batch: chunks of one replica that hold different numbers of sequences",
        SliceFormats.TOKENS,
        damaged,
        new Leg(ReadMode.BATCH, new Mesh(3, 2), 0, 1));
  }

  private void addSequences() {
    for (int length : new int[] {8, 12, 20}) {
      for (ReadMode mode : List.of(ReadMode.ROWS, ReadMode.BATCH)) {
        for (int cp : new int[] {1, 2, 4, 8}) {
          WrittenSteps stream = stream(SliceFormats.TOKENS, length);
          bundle(stream, new Mesh(2, 2), 1, r -> 2);
          add(
              "%s: sequences of %d tokens, C = 2 read as C' = %d".formatted(mode, length, cp),
              SliceFormats.TOKENS,
              stream,
              new Leg(mode, new Mesh(2, cp), 0, 1));
        }
      }
    }
  }

  private static WrittenSteps changing(String format) {
    WrittenSteps stream = stream(format, 24);
    bundle(stream, new Mesh(2, 1), 3, r -> 1 + r);
    bundle(stream, new Mesh(3, 2), 1, r -> 2);
    bundle(stream, new Mesh(1, 2), 4, r -> 3);
    bundle(stream, new Mesh(5, 1), 2, r -> r % 2);
    return stream;
  }

  private void addMeshChanges() {
    for (String format : List.of(SliceFormats.RECORDS, SliceFormats.TOKENS, SliceFormats.RAW)) {
      for (ReadMode mode : ReadMode.values()) {
        for (int[] read : new int[][] {{1, 1}, {2, 1}, {3, 2}, {5, 1}, {7, 1}, {4, 4}}) {
          Mesh reader = new Mesh(read[0], read[1]);
          for (long from : new long[] {0, 2}) {
            add(
                "%s %s: the mesh changes in mid-stream, read as %s from step %d"
                    .formatted(mode, format, reader, from),
                format,
                changing(format),
                new Leg(mode, reader, from, ALL));
          }
        }
      }
    }
  }

  /** Consumer steps with rows that this mesh can read and rows that it cannot. */
  private void addMixedChunks() {
    for (String format : List.of(SliceFormats.RECORDS, SliceFormats.TOKENS, SliceFormats.RAW)) {
      for (int[] read : new int[][] {{1, 2}, {3, 2}, {4, 2}, {5, 1}, {3, 4}, {2, 3}, {4, 3}}) {
        WrittenSteps stream = stream(format, 24);
        bundle(stream, new Mesh(2, 2), 3, r -> 2 + r % 2);
        bundle(stream, new Mesh(1, 3), 2, r -> 3);
        bundle(stream, new Mesh(2, 1), 4, r -> 4);
        Mesh reader = new Mesh(read[0], read[1]);
        add(
            "rows %s: C is 2, then 3, then 1, read as %s".formatted(format, reader),
            format,
            stream,
            new Leg(ReadMode.ROWS, reader, 0, ALL));
      }
    }
  }

  private void addChains() {
    Random random = new Random(11);
    for (int i = 0; i < 60; i++) {
      String format = i % 3 == 0 ? SliceFormats.TOKENS : SliceFormats.RECORDS;
      List<Leg> legs = new ArrayList<>();
      int resumes = 2 + random.nextInt(3);
      for (int leg = 0; leg <= resumes; leg++) {
        ReadMode mode = i % 4 == 3 ? ReadMode.BATCH : ReadMode.ROWS;
        Mesh mesh = new Mesh(1 + random.nextInt(6), 1 + random.nextInt(2));
        legs.add(new Leg(mode, mesh, leg == 0 ? 0 : -1, leg == resumes ? ALL : random.nextInt(4)));
      }
      add("a chain of resumes, %d".formatted(i), format, changing(format), legs);
    }
  }

  /** A cursor of one mode and mesh, gone on from in another. */
  private void addCursors() {
    for (ReadMode saved : ReadMode.values()) {
      for (ReadMode mode : ReadMode.values()) {
        for (int take : new int[] {0, 1, 2}) {
          for (int dp : new int[] {2, 3}) {
            WrittenSteps stream = stream(SliceFormats.RECORDS, 0);
            bundle(stream, new Mesh(2, 1), 4, r -> 2 + r);
            Mesh first = new Mesh(saved == ReadMode.EXACT ? 2 : 3, 1);
            add(
                "a cursor of %s after %d consumer steps of %s, gone on from in %s with D' = %d"
                    .formatted(saved, take, first, mode, dp),
                SliceFormats.RECORDS,
                stream,
                new Leg(saved, first, 0, take),
                new Leg(mode, new Mesh(dp, 1), -1, ALL));
          }
        }
      }
    }
  }

  private static WrittenSteps stream(String format, int sequenceLength) {
    SliceShape shape = SliceShape.of(format);
    return WrittenSteps.of(shape, shape == SliceShape.CHUNKED ? sequenceLength : 0);
  }

  /** The chunks of a replica hold the same sequences in a chunked format. */
  private static void bundle(
      WrittenSteps stream, Mesh mesh, int steps, Function<Integer, Integer> pattern) {
    List<List<Integer>> all = new ArrayList<>();
    for (int k = 0; k < steps; k++) {
      List<Integer> records = new ArrayList<>();
      for (int r = 0; r < mesh.slices(); r++) {
        records.add(pattern.apply(stream.shape() == SliceShape.CHUNKED ? r / mesh.cp() : r));
      }
      all.add(records);
    }
    stream.bundle(mesh, all);
  }

  private void add(String name, String format, WrittenSteps stream, Leg... legs) {
    add(name, format, stream, List.of(legs));
  }

  private void add(String name, String format, WrittenSteps stream, List<Leg> legs) {
    StringJoiner bundles = new StringJoiner(", ", "[", "]");
    for (Bundle bundle : stream.bundles()) {
      bundles.add(
          "{\"first_step\": %d, \"first_row\": %d, \"mesh\": %s, \"records\": %s}"
              .formatted(
                  bundle.firstStep(),
                  bundle.firstRow(),
                  json(bundle.mesh()),
                  bundle.records().stream().map(r -> json(bundle.mesh(), r)).toList()));
    }
    StringJoiner read = new StringJoiner(", ", "[", "]");
    Position at = null;
    Mesh saved = null;
    for (Leg leg : legs) {
      LegReader reader = new LegReader(stream, leg, at, saved);
      read.add(reader.json());
      if (reader.refused != null) {
        break;
      }
      at = reader.at;
      saved = leg.mesh();
    }
    cases.add(
        "{\"name\": \"%s\", \"slice_format\": \"%s\", \"sequence_length\": %s, \"bundles\": %s, \"legs\": %s}"
            .formatted(
                name,
                format,
                stream.sequenceLength() == 0 ? "null" : stream.sequenceLength(),
                bundles,
                read));
  }

  private static String json(Mesh mesh) {
    return "[" + mesh.dp() + ", " + mesh.cp() + "]";
  }

  /** By replica and chunk. */
  private static String json(Mesh mesh, List<Integer> records) {
    List<String> replicas = new ArrayList<>();
    for (int d = 0; d < mesh.dp(); d++) {
      replicas.add(records.subList(d * mesh.cp(), (d + 1) * mesh.cp()).toString());
    }
    return replicas.toString();
  }

  /** Reads one leg. */
  private static final class LegReader {
    private final WrittenSteps stream;
    private final Leg leg;
    private final Position begin;
    private final List<String> steps = new ArrayList<>();
    private Position at;
    private String refused;

    LegReader(WrittenSteps stream, Leg leg, Position cursor, Mesh saved) {
      this.stream = stream;
      this.leg = leg;
      this.begin = leg.fromStep() >= 0 ? stream.atStep(leg.fromStep()) : cursor;
      this.at = begin;
      if (leg.fromStep() < 0) {
        resume(cursor, saved);
      }
      while (refused == null
          && steps.size() != leg.take()
          && stream.holds(at, leg.mode(), leg.mesh())) {
        read();
      }
    }

    private void resume(Position cursor, Mesh saved) {
      long firstRow = stream.atStep(cursor.step()).row();
      Mesh written =
          cursor.step() == stream.nextStep() ? saved : stream.bundleOfStep(cursor.step()).mesh();
      try {
        new Topology(leg.mode(), stream.shape(), leg.mesh(), 0, 0)
            .checkResume(saved, cursor.step(), cursor.row(), firstRow, written);
      } catch (MeshMismatchException e) {
        refused = "{\"when\": \"resume\", \"reason\": \"" + e.refusal() + "\"}";
      }
    }

    private void read() {
      List<String> parts = new ArrayList<>();
      Set<Refusal> reasons = EnumSet.noneOf(Refusal.class);
      for (Topology rank : WrittenSteps.ranks(leg.mode(), stream.shape(), leg.mesh())) {
        try {
          parts.add(stream.parts(at, rank).stream().map(TopologyVectors::json).toList().toString());
        } catch (MeshMismatchException e) {
          reasons.add(e.refusal());
        }
      }
      if (!reasons.isEmpty()) {
        if (!parts.isEmpty() || reasons.size() > 1) {
          throw new IllegalStateException("Some ranks would read what others refuse: " + reasons);
        }
        refused = "{\"when\": \"step\", \"reason\": \"" + reasons.iterator().next() + "\"}";
        return;
      }
      steps.add(parts.toString());
      at = stream.after(at, leg.mode(), leg.mesh());
    }

    String json() {
      return "{\"mode\": \"%s\", \"mesh\": %s, \"from_step\": %s, \"take\": %s, \"begins_at\": %s, \"consumer_steps\": %s, \"ends_at\": %s, \"refused\": %s}"
          .formatted(
              leg.mode(),
              TopologyVectors.json(leg.mesh()),
              leg.fromStep() < 0 ? "null" : leg.fromStep(),
              leg.take() == ALL ? "null" : leg.take(),
              TopologyVectors.json(begin),
              steps,
              TopologyVectors.json(at),
              refused);
    }
  }

  private static String json(Position at) {
    return "{\"step\": " + at.step() + ", \"row\": " + at.row() + "}";
  }

  private static String json(Part part) {
    return "[%d, %d, %d, %d, %s, %s, %s]"
        .formatted(
            part.step(),
            part.d(),
            part.c(),
            part.fromRecord(),
            orNull(part.toRecord()),
            orNull(part.fromColumn()),
            orNull(part.toColumn()));
  }

  private static String orNull(int value) {
    return value == Part.ALL ? "null" : String.valueOf(value);
  }
}
