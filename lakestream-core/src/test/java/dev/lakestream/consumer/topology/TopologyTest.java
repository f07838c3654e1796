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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.lakestream.batch.Mesh;
import dev.lakestream.consumer.topology.WrittenSteps.Position;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Holds the functions to docs/topology.md, for all small meshes, by what the ranks read. */
class TopologyTest {

  private static final int MOST = 6;

  /** A multiple of all C' up to {@link #MOST}. */
  private static final int L = 60;

  /** Records of slice r: even, uneven, with empty slices, none at all. */
  private static final List<IntUnaryOperator> PATTERNS =
      List.of(r -> 3, r -> (r * 7 + 2) % 5, r -> r % 3 == 1 ? 7 : 0, r -> r == 0 ? 11 : 0, r -> 0);

  private static List<Integer> records(SliceShape shape, Mesh mesh, IntUnaryOperator pattern) {
    List<Integer> records = new ArrayList<>();
    for (int r = 0; r < mesh.slices(); r++) {
      records.add(pattern.applyAsInt(shape == SliceShape.CHUNKED ? r / mesh.cp() : r));
    }
    return records;
  }

  private static boolean divides(int a, int b) {
    return b % a == 0 || a % b == 0;
  }

  private static boolean isRefused(ReadMode mode, SliceShape shape, Mesh written, Mesh reader) {
    boolean own = written.equals(reader);
    return switch (mode) {
      case EXACT -> !own;
      case ROWS ->
          shape == SliceShape.OPAQUE
              ? written.cp() % reader.cp() != 0
              : !divides(written.cp(), reader.cp());
      case BATCH ->
          !own
              && (shape == SliceShape.OPAQUE
                  || (shape == SliceShape.CHUNKED && !divides(written.cp(), reader.cp())));
    };
  }

  private interface Body {
    void on(Mesh written, Mesh reader);
  }

  private static void forAllMeshes(Body body) {
    for (int dp = 1; dp <= MOST; dp++) {
      for (int cp = 1; cp <= MOST; cp++) {
        for (int readDp = 1; readDp <= MOST; readDp++) {
          for (int readCp = 1; readCp <= MOST; readCp++) {
            body.on(new Mesh(dp, cp), new Mesh(readDp, readCp));
          }
        }
      }
    }
  }

  @Test
  void theUnionOverTheRanksIsTheStepOrItsRowsForAllSmallMeshes() {
    for (SliceShape shape : SliceShape.values()) {
      for (ReadMode mode : ReadMode.values()) {
        forAllMeshes(
            (written, reader) -> {
              for (IntUnaryOperator pattern : PATTERNS) {
                // So many steps that any D' up to MOST finds a consumer step.
                List<Integer> records = records(shape, written, pattern);
                WrittenSteps stream =
                    WrittenSteps.of(shape, L)
                        .bundle(written, List.of(records, records))
                        .bundle(written, Collections.nCopies(5, records));
                if (isRefused(mode, shape, written, reader)) {
                  assertThatThrownBy(() -> UnitsRead.union(stream, stream.atStep(1), mode, reader))
                      .isInstanceOf(MeshMismatchException.class)
                      .hasMessageContaining(written.toString())
                      .hasMessageContaining(reader.toString());
                  continue;
                }
                long row = stream.atStep(1).row();
                List<Unit> expected =
                    mode == ReadMode.ROWS
                        ? UnitsWritten.rows(stream, row, row + reader.dp())
                        : UnitsWritten.steps(stream, 1, 2);
                if (!expected.equals(UnitsRead.union(stream, stream.atStep(1), mode, reader))) {
                  // Only then, since describing it costs more than the comparison.
                  assertThat(UnitsRead.union(stream, stream.atStep(1), mode, reader))
                      .as("%s %s %s read by %s", mode, shape, written, reader)
                      .isEqualTo(expected);
                }
              }
            });
      }
    }
  }

  @Test
  void nobodysShareOfABatchDiffersFromAnothersByMoreThanOneRecord() {
    forAllMeshes(
        (written, reader) -> {
          if (written.equals(reader)) {
            return;
          }
          for (IntUnaryOperator pattern : PATTERNS) {
            WrittenSteps stream =
                WrittenSteps.of(SliceShape.FLAT, 0)
                    .bundle(written, List.of(records(SliceShape.FLAT, written, pattern)));
            List<Integer> shares = new ArrayList<>();
            for (int d = 0; d < reader.dp(); d++) {
              int share = 0;
              for (int c = 0; c < reader.cp(); c++) {
                Topology rank = new Topology(ReadMode.BATCH, SliceShape.FLAT, reader, d, c);
                share += UnitsRead.of(stream, stream.parts(stream.atStep(0), rank)).size();
              }
              shares.add(share);
            }
            int most = shares.stream().mapToInt(Integer::intValue).max().orElseThrow();
            int least = shares.stream().mapToInt(Integer::intValue).min().orElseThrow();
            assertThat(most - least).isLessThanOrEqualTo(1);
          }
        });
  }

  /** D and C both change in mid-stream, also inside what one consumer step of many rows takes. */
  private static WrittenSteps changing(SliceShape shape) {
    WrittenSteps stream = WrittenSteps.of(shape, L);
    Random random = new Random(5);
    int[][] bundles = {{2, 1, 3}, {3, 2, 1}, {1, 2, 4}, {6, 1, 1}, {2, 2, 2}, {5, 1, 2}};
    for (int[] bundle : bundles) {
      Mesh mesh = new Mesh(bundle[0], bundle[1]);
      List<List<Integer>> steps = new ArrayList<>();
      for (int k = 0; k < bundle[2]; k++) {
        int[] drawn = random.ints(mesh.slices(), 0, 4).toArray();
        steps.add(records(shape, mesh, r -> drawn[r]));
      }
      stream.bundle(mesh, steps);
    }
    return stream;
  }

  @Test
  void everyPrefixOfAStreamWhoseMeshChangesIsReadOnceInOrder() {
    for (SliceShape shape : List.of(SliceShape.FLAT, SliceShape.CHUNKED)) {
      WrittenSteps stream = changing(shape);
      for (ReadMode mode : List.of(ReadMode.ROWS, ReadMode.BATCH)) {
        for (int dp = 1; dp <= MOST; dp++) {
          for (int cp : new int[] {1, 2, 4}) {
            Mesh reader = new Mesh(dp, cp);
            for (long from = 0; from <= stream.nextStep(); from++) {
              Position at = stream.atStep(from);
              List<Unit> read = new ArrayList<>();
              while (stream.holds(at, mode, reader)) {
                read.addAll(UnitsRead.union(stream, at, mode, reader));
                at = stream.after(at, mode, reader);
                assertThat(read.size() == 0 || read.get(0).step() >= from).isTrue();
                if (!read.equals(UnitsWritten.rows(stream, stream.atStep(from).row(), at.row()))) {
                  assertThat(read)
                      .as("%s %s by %s from %d up to %s", mode, shape, reader, from, at)
                      .isEqualTo(UnitsWritten.rows(stream, stream.atStep(from).row(), at.row()));
                }
              }
              assertThat(stream.nextRow() - at.row())
                  .isLessThan(mode == ReadMode.ROWS ? reader.dp() : 1);
            }
          }
        }
      }
    }
  }

  @Test
  void anyChainOfResumesWithOtherNumbersOfReplicasReadsEachRowOnceInOrder() {
    WrittenSteps stream = changing(SliceShape.FLAT);
    List<Unit> all = UnitsWritten.rows(stream, 0, stream.nextRow());
    for (int a = 1; a <= MOST; a++) {
      for (int b = 1; b <= MOST; b++) {
        for (int first = 0; first <= 3; first++) {
          for (int second = 0; second <= 3; second++) {
            int[][] legs = {{a, first}, {b, second}, {a, 1}, {1, 1000}};
            Position at = stream.atStep(0);
            List<Unit> read = new ArrayList<>();
            for (int[] leg : legs) {
              Mesh reader = new Mesh(leg[0], 1);
              for (int i = 0; i < leg[1] && stream.holds(at, ReadMode.ROWS, reader); i++) {
                read.addAll(UnitsRead.union(stream, at, ReadMode.ROWS, reader));
                at = stream.after(at, ReadMode.ROWS, reader);
              }
            }
            assertThat(read.equals(all)).as("%d then %d", a, b).isTrue();
          }
        }
      }
    }
  }

  @Test
  void rowsWithTheMeshOfTheStreamReadWhatExactReads() {
    forAllMeshes(
        (written, reader) -> {
          if (!written.equals(reader)) {
            return;
          }
          for (SliceShape shape : SliceShape.values()) {
            List<Integer> records = records(shape, written, PATTERNS.get(1));
            WrittenSteps stream =
                WrittenSteps.of(shape, L).bundle(written, List.of(records, records));
            for (Topology exact : WrittenSteps.ranks(ReadMode.EXACT, shape, reader)) {
              Topology rows = new Topology(ReadMode.ROWS, shape, reader, exact.d(), exact.c());
              assertThat(stream.parts(stream.atStep(1), rows))
                  .isEqualTo(stream.parts(stream.atStep(1), exact));
            }
          }
        });
  }

  @Test
  void aCursorInsideAStepIsRefusedByTheModesOfWholeStepsNamingWhatWouldFit() {
    Mesh written = new Mesh(4, 1);
    for (ReadMode mode : ReadMode.values()) {
      Topology rank = new Topology(mode, SliceShape.FLAT, new Mesh(3, 1), 0, 0);
      rank.checkResume(new Mesh(3, 1), 5, 20, 20, written);
      if (mode == ReadMode.ROWS) {
        rank.checkResume(new Mesh(3, 1), 5, 21, 20, written);
      } else {
        assertThatThrownBy(() -> rank.checkResume(new Mesh(3, 1), 5, 21, 20, written))
            .isInstanceOfSatisfying(
                MeshMismatchException.class,
                e -> assertThat(e.refusal()).isEqualTo(Refusal.INSIDE_A_STEP))
            .hasMessageContaining("row 21")
            .hasMessageContaining("with 3 DP ranks");
      }
    }
  }

  @Test
  void sharesOfMoreRecordsThanProductsCanHold() {
    long n = Long.MAX_VALUE - 1;
    assertThat(Shares.begin(n, 1 << 20, 1 << 20)).isEqualTo(n);
    assertThat(Shares.begin(n, 1, 2)).isEqualTo(n / 2);
    for (int of = 1; of < 30; of++) {
      for (int i = 0; i <= of; i++) {
        assertThat(Shares.begin(1001, i, of)).isEqualTo(1001L * i / of);
      }
    }
  }

  @Test
  void chunksThatHoldDifferentNumbersOfSequencesAreRefused() {
    Topology rank = new Topology(ReadMode.BATCH, SliceShape.CHUNKED, new Mesh(3, 2), 0, 0);
    assertThatThrownBy(() -> rank.ofStep(0, new Mesh(2, 2), (d, c) -> d + c))
        .isInstanceOfSatisfying(
            MeshMismatchException.class,
            e -> assertThat(e.refusal()).isEqualTo(Refusal.CHUNKS_DIFFER));
  }

  @Test
  void sequencesThatCannotBeCutEvenlyAreRefused() {
    Topology rank = new Topology(ReadMode.ROWS, SliceShape.CHUNKED, new Mesh(2, 4), 0, 0);
    Mesh written = new Mesh(2, 2);
    List<Part> parts = rank.ofRow(0, 0, written, (d, c) -> 1);
    assertThat(rank.cutColumns(parts, written, 12)).containsExactly(parts.get(0).columns(0, 3));
    assertThatThrownBy(() -> rank.cutColumns(parts, written, 6))
        .isInstanceOfSatisfying(
            MeshMismatchException.class,
            e -> assertThat(e.refusal()).isEqualTo(Refusal.SEQUENCE_DOES_NOT_DIVIDE));
  }
}
