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
package dev.lakestream.flink.sink;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.RecordSlice;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Stores;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A stream as a reader finds it: every slice of every step, through every checksum. */
record StreamContents(Manifest newest, List<BundleDescriptor> bundles, List<List<Slice>> steps) {

  static StreamContents of(String address) {
    try (ObjectStore store = Stores.open(address, Map.of())) {
      TrainingStream stream = TrainingStream.open(store);
      Manifest newest = stream.log().newest();
      List<BundleDescriptor> bundles = stream.history(newest).bundles(0, Integer.MAX_VALUE);
      List<List<Slice>> steps = new ArrayList<>();
      for (BundleDescriptor descriptor : bundles) {
        BundleReader reader = BundleReader.of(store, stream.id(), descriptor.bundle());
        for (int tgb = 0; tgb < descriptor.bundle().tgbCount(); tgb++) {
          List<Slice> slices = new ArrayList<>();
          for (int d = 0; d < descriptor.bundle().mesh().dp(); d++) {
            for (int c = 0; c < descriptor.bundle().mesh().cp(); c++) {
              slices.add(reader.section(d, c).slice(tgb));
            }
          }
          steps.add(slices);
        }
      }
      return new StreamContents(newest, bundles, steps);
    }
  }

  /** The newest manifest alone. */
  static Optional<Manifest> newestOf(String address) {
    try (ObjectStore store = Stores.open(address, Map.of())) {
      return Optional.of(TrainingStream.open(store).log().newest());
    } catch (LakestreamException e) {
      return Optional.empty(); // while it is being created
    }
  }

  static long stepsOf(String address) {
    return newestOf(address).map(Manifest::nextStep).orElse(0L);
  }

  /** The records of all slices, in the format records, in step order. */
  List<String> records() {
    return steps.stream().flatMap(slices -> recordsOf(slices).stream()).toList();
  }

  private static List<String> recordsOf(List<Slice> slices) {
    return slices.stream()
        .flatMap(slice -> RecordSlice.decode(slice.bytes()).records().stream())
        .map(StreamContents::text)
        .toList();
  }

  /** By the number of the writer that made them. */
  Map<Integer, List<String>> recordsByWriter() {
    Map<Integer, List<String>> records = new TreeMap<>();
    int step = 0;
    for (BundleDescriptor bundle : bundles) {
      int writer = BundleName.parse(bundle.bundle().object()).orElseThrow().subtask();
      for (int end = step + bundle.bundle().tgbCount(); step < end; step++) {
        records.computeIfAbsent(writer, w -> new ArrayList<>()).addAll(recordsOf(steps.get(step)));
      }
    }
    return records;
  }

  /** All tokens that are no padding, in the format tokens. */
  List<Integer> tokens() {
    List<Integer> tokens = new ArrayList<>();
    for (List<Slice> slices : steps) {
      for (Slice slice : slices) {
        TokenSlice sequences = TokenSlice.decode(slice.bytes());
        for (int i = 0; i < sequences.count(); i++) {
          Arrays.stream(sequences.tokens(i), 0, sequences.paddingFrom(i)).forEach(tokens::add);
        }
      }
    }
    return tokens;
  }

  /** The slices (0, 0) as text, one a step. */
  List<String> texts() {
    return steps.stream().map(slices -> text(slices.get(0).bytes())).toList();
  }

  /** How many manifests published bundles. */
  long publications() {
    return bundles.stream()
        .map(bundle -> bundle.producerId() + "@" + bundle.sequence())
        .distinct()
        .count();
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
