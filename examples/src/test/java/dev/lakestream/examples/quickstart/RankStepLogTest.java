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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankStepLogTest {

  @TempDir Path directory;

  private Path file;

  @BeforeEach
  void twoSteps() throws IOException {
    file = directory.resolve("log");
    try (RankStepLog.Writer writer = new RankStepLog.Writer(file)) {
      writer.write(new RankStepLog.Entry(0, 100, 2, 3, List.of()));
      Delivery delivery = new Delivery(1, 2, 1, -5L, 2048, new int[] {1, 2, Integer.MAX_VALUE});
      writer.write(new RankStepLog.Entry(1, 0, 0, 0, List.of(delivery)));
    }
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    try (RankStepLog.Reader reader = new RankStepLog.Reader(file, 2)) {
      assertThat(reader.next()).contains(new RankStepLog.Entry(0, 100, 2, 3, List.of()));
      Delivery read = reader.next().orElseThrow().deliveries().get(0);
      assertThat(read.where()).isEqualTo("step 1, rank 2, sequence 1");
      assertThat(read.sampleId()).isEqualTo(-5L);
      assertThat(read.firstPosition()).isEqualTo(2048);
      assertThat(read.tokens()).containsExactly(1, 2, Integer.MAX_VALUE);
      assertThat(reader.next()).isEmpty();
    }
  }

  @Test
  void aFileThatWasCutIsNotTakenForAWholeOne() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    try (RankStepLog.Reader reader = new RankStepLog.Reader(file, 2)) {
      assertThat(reader.next()).isPresent();
      assertThatThrownBy(reader::next).isInstanceOf(EOFException.class);
    }
  }
}
