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
package dev.lakestream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.lakestream.batch.GlobalBatch;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.consumer.Cursor;
import dev.lakestream.consumer.RankPosition;
import dev.lakestream.consumer.RankReader;
import dev.lakestream.examples.quickstart.ReplayJob;
import dev.lakestream.examples.quickstart.TokenizedDocument;
import dev.lakestream.flink.source.TokenRecord;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the README shows. */
class SnippetsITCase {

  @TempDir Path directory;

  private String address() {
    return directory.resolve("stream").toString();
  }

  private Manifest newest() {
    try (ObjectStore store = Stores.open(address(), Map.of())) {
      return TrainingStream.open(store).log().newest();
    }
  }

  @Test
  void aFlinkJobWritesWhatTheRanksTrainOn() throws Exception {
    List<TokenizedDocument> documents =
        IntStream.rangeClosed(1, 60).mapToObj(SnippetsITCase::document).toList();
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2);
    DataStreamSnippet.write(environment, environment.fromData(documents), address());
    environment.execute();

    long steps = newest().nextStep();
    assertThat(steps).isGreaterThanOrEqualTo(2);
    Map<Integer, Long> trained =
        IntStream.range(0, 4)
            .mapToObj(rank -> train(rank, steps))
            .flatMap(List::stream)
            .collect(Collectors.groupingBy(token -> token, Collectors.counting()));
    trained.remove(0); // padding
    assertThat(trained)
        .isEqualTo(
            documents.stream()
                .collect(
                    Collectors.toMap(
                        document -> document.tokens()[0],
                        document -> (long) document.tokens().length)));
  }

  @Test
  void aShuffledStreamHoldsEveryDocument() throws Exception {
    List<TokenizedDocument> documents =
        IntStream.rangeClosed(1, 60).mapToObj(SnippetsITCase::document).toList();
    StreamExecutionEnvironment environment = checkpointed();
    PileSnippet.write(environment.fromData(documents), address());
    environment.execute();

    Map<Integer, Long> written = new HashMap<>();
    try (ObjectStore store = Stores.open(address(), Map.of())) {
      for (int rank = 0; rank < 16; rank++) {
        RankPosition position = RankPosition.of(8, 2, rank / 2, rank % 2);
        try (RankReader reader = RankReader.open(store, position)) {
          for (long step = 0; step < newest().nextStep(); step++) {
            TokenSlice slice = TokenSlice.decode(reader.next().slice().bytes());
            for (int i = 0; i < slice.count(); i++) {
              Arrays.stream(slice.tokens(i)).forEach(token -> written.merge(token, 1L, Long::sum));
            }
          }
        }
      }
    }
    written.remove(0); // padding
    assertThat(written)
        .isEqualTo(
            documents.stream()
                .collect(
                    Collectors.toMap(
                        document -> document.tokens()[0],
                        document -> (long) document.tokens().length)));
  }

  @Test
  void elementsThatAreBatchesBecomeSteps() throws Exception {
    StreamExecutionEnvironment environment = checkpointed();
    DataStream<byte[][]> rows =
        environment
            .fromData(1, 2, 3)
            .map(number -> new byte[][] {{number.byteValue()}, {0, 0}})
            .returns(byte[][].class);
    PileSnippet.writeBatches(rows, address());
    environment.execute();

    assertThat(newest().nextStep()).isEqualTo(3);
    assertThat(newest().totalRecords()).isEqualTo(6);
  }

  private static StreamExecutionEnvironment checkpointed() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2);
    environment.enableCheckpointing(10_000);
    return environment;
  }

  @Test
  void aReplayShowsWhatTheRanksReadAtSomeSteps() throws Exception {
    List<TokenizedDocument> documents =
        IntStream.rangeClosed(1, 60).mapToObj(SnippetsITCase::document).toList();
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(2);
    DataStreamSnippet.write(environment, environment.fromData(documents), address());
    environment.execute();

    List<String> replayed = new ArrayList<>();
    try (CloseableIterator<TokenRecord> records =
        ReplayJob.replay(StreamExecutionEnvironment.createLocalEnvironment(2), address(), 1, 2)
            .executeAndCollect()) {
      records.forEachRemaining(
          record ->
              replayed.add(
                  record.slice().step()
                      + " "
                      + record.slice().dp()
                      + " "
                      + record.slice().cp()
                      + " "
                      + Arrays.toString(record.tokens())));
    }

    List<String> read = new ArrayList<>();
    for (int d = 0; d < 2; d++) {
      for (int c = 0; c < 2; c++) {
        try (ObjectStore store = Stores.open(address(), Map.of());
            RankReader reader = RankReader.open(store, RankPosition.of(2, 2, d, c))) {
          reader.next();
          TokenSlice slice = TokenSlice.decode(reader.next().slice().bytes());
          for (int i = 0; i < slice.count(); i++) {
            read.add("1 " + d + " " + c + " " + Arrays.toString(slice.tokens(i)));
          }
        }
      }
    }
    assertThat(replayed).isEqualTo(read).isNotEmpty();
  }

  private static TokenizedDocument document(int number) {
    int[] tokens = new int[37 * number];
    Arrays.fill(tokens, number);
    return new TokenizedDocument(number, tokens);
  }

  private List<Integer> train(int rank, long steps) {
    List<Integer> seen = new ArrayList<>();
    Cursor cursor =
        RankLoopSnippet.train(
            address(),
            Map.of("RANK", String.valueOf(rank), "WORLD_SIZE", "4"),
            (tokens, targets, positions, cuSeqlens) -> {
              for (int i = 0; i < tokens.length; i++) {
                seen.add(tokens[i]);
                assertThat(targets[i]).isIn(tokens[i], TokenSlice.NO_TOKEN);
              }
              assertThat(positions).hasSameSizeAs(tokens);
              assertThat(cuSeqlens[cuSeqlens.length - 1]).isEqualTo(2048);
            },
            steps);
    assertThat(cursor.step()).isEqualTo(steps);
    return seen;
  }

  @Test
  void aProducerThatStartsAgainAppendsOnlyWhatIsNotInTheStream() {
    List<GlobalBatch> batches = IntStream.range(0, 5).mapToObj(SnippetsITCase::batch).toList();
    ProducerSnippet.write(address(), batches.subList(0, 3));
    assertThat(newest().nextStep()).isEqualTo(3);
    ProducerSnippet.write(address(), batches);
    assertThat(newest().nextStep()).isEqualTo(5);
    assertThat(newest().totalRecords()).isEqualTo(10);
  }

  @Test
  void aTrainingLoopGoesOnFromItsCheckpointWithAnotherNumberOfRanks() {
    ProducerSnippet.write(
        address(), IntStream.range(0, 5).mapToObj(SnippetsITCase::batch).toList());
    List<Slice> trained = new ArrayList<>();
    List<String> saved = new ArrayList<>();
    ResumeSnippet.Model model =
        new ResumeSnippet.Model() {
          @Override
          public void train(Slice slice) {
            trained.add(slice);
          }

          @Override
          public void save(String cursor) {
            saved.add(cursor);
          }
        };
    try (ObjectStore store = Stores.open(address(), Map.of())) {
      for (int d = 0; d < 2; d++) {
        ResumeSnippet.train(store, RankPosition.of(2, 1, d, 0), "", model, 2, 2);
      }
      assertThat(saved.get(0)).isEqualTo(saved.get(1)).contains(":s2:r4:2x1:rows:");
      ResumeSnippet.train(store, RankPosition.of(1, 1, 0, 0), saved.get(0), model, 6, 6);
    }
    List<Slice> written =
        IntStream.of(0, 1, 0, 1, 2, 2, 3, 3, 4, 4)
            .mapToObj(number -> batch(number).slices().get(0))
            .toList();
    assertThat(trained).isEqualTo(written);
  }

  private static GlobalBatch batch(int number) {
    ByteBuffer record = StandardCharsets.UTF_8.encode("record " + number);
    Slice slice = new Slice(RecordSlice.encode(List.of(record)), 1);
    return GlobalBatch.of(new Mesh(2, 1), List.of(slice, slice));
  }
}
