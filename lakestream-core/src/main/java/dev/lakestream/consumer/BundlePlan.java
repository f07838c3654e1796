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
package dev.lakestream.consumer;

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleGather;
import dev.lakestream.batch.BundleGather.Places;
import dev.lakestream.batch.BundleGather.Wanted;
import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.SectionTable;
import dev.lakestream.consumer.topology.MeshMismatchException;
import dev.lakestream.consumer.topology.RecordCounts;
import dev.lakestream.consumer.topology.SliceShape;
import dev.lakestream.consumer.topology.Topology;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * How a rank reads its part of one bundle: the sections that it needs, neighbours by one range; or,
 * where it needs little of them or they are long, their tables and then ranges of bounded length.
 *
 * <p>What has to be known for that (how long the sections are, how many records slices hold) is
 * asked for at once, so that the footers of several bundles, where they are needed at all, are read
 * at the same time.
 */
final class BundlePlan {

  /**
   * Consecutive consumer steps that are fetched together.
   *
   * @param whole the sections are read whole, their tables with them
   * @param bytes that it reads
   */
  record Part(List<PlannedStep> steps, List<Wanted> wanted, boolean whole, long bytes) {}

  /** What is known before the data is asked for. */
  private record Prepared(
      List<PlannedStep> steps, Places places, Map<Integer, SectionTable> tables) {}

  private final BundleDescriptor bundle;
  private final Topology topology;
  private final long version;
  private final BundleGather gather;
  private final CompletableFuture<Prepared> prepared;
  private final Map<Integer, SectionTable> tables = new HashMap<>();

  private BundlePlan(
      BundleDescriptor bundle,
      Topology topology,
      long version,
      BundleGather gather,
      CompletableFuture<Prepared> prepared) {
    this.bundle = bundle;
    this.topology = topology;
    this.version = version;
    this.gather = gather;
    this.prepared = prepared;
  }

  /**
   * A bundle that cannot be read is a plan all the same: it fails when its turn comes.
   *
   * @param store of the stream; counts what is asked of it
   * @param from where the reader stands; in this bundle or before it
   * @param lookup that found the bundle
   */
  static BundlePlan of(
      TrainingStream stream,
      ObjectStore store,
      BundleDescriptor bundle,
      Topology topology,
      Stand from,
      BundleLookup lookup) {
    BundleGather gather = null;
    CompletableFuture<Prepared> prepared;
    try {
      check(stream, bundle, topology, from);
      gather = new BundleGather(store, BundleReader.of(store, stream.id(), bundle.bundle()));
      prepared = prepare(gather, bundle, topology, from, lookup.endRow());
    } catch (LakestreamException e) {
      prepared = CompletableFuture.failedFuture(e);
    }
    return new BundlePlan(bundle, topology, lookup.manifest().version(), gather, prepared);
  }

  private static void check(
      TrainingStream stream, BundleDescriptor bundle, Topology topology, Stand from) {
    try {
      topology.check(bundle.bundle().mesh());
    } catch (MeshMismatchException e) {
      throw e.at("Step " + Math.max(from.step(), bundle.firstStep()) + " of " + stream);
    }
  }

  private static CompletableFuture<Prepared> prepare(
      BundleGather gather, BundleDescriptor bundle, Topology topology, Stand from, long endRow) {
    StepPlanner planner = new StepPlanner(topology, bundle);
    if (!topology.needsRecordCounts(bundle.bundle().mesh())) {
      return place(gather, planner.steps(from, tgb -> null, endRow), Map.of());
    }
    return gather
        .index()
        .thenCompose(
            index -> {
              int fromTgb = (int) Math.max(0, from.step() - bundle.firstStep());
              if (tellsCounts(index, fromTgb)) {
                IntFunction<RecordCounts> uniform =
                    tgb -> {
                      int records = index.tgbs().get(tgb).uniformSliceRecords().getAsInt();
                      return (d, c) -> records;
                    };
                return place(gather, planner.steps(from, uniform, endRow), Map.of());
              }
              return gather
                  .places(countedSections(topology, index.mesh()))
                  .thenCompose(gather::tables)
                  .thenCompose(
                      tables ->
                          place(
                              gather,
                              planner.steps(
                                  from, tgb -> counts(tables, topology, index, tgb), endRow),
                              tables));
            });
  }

  private static boolean tellsCounts(BundleIndex index, int fromTgb) {
    return index.tgbs().subList(fromTgb, index.tgbs().size()).stream()
        .allMatch(tgb -> tgb.uniformSliceRecords().isPresent());
  }

  /** The chunks of a replica hold the same sequences, so that one of them tells. */
  private static List<Integer> countedSections(Topology topology, Mesh mesh) {
    int step = topology.shape() == SliceShape.CHUNKED ? mesh.cp() : 1;
    return IntStream.iterate(0, r -> r < mesh.slices(), r -> r + step).boxed().toList();
  }

  private static RecordCounts counts(
      Map<Integer, SectionTable> tables, Topology topology, BundleIndex index, int tgb) {
    return (d, c) ->
        tables
            .get(index.mesh().index(d, topology.shape() == SliceShape.CHUNKED ? 0 : c))
            .records(tgb);
  }

  private static CompletableFuture<Prepared> place(
      BundleGather gather, List<PlannedStep> steps, Map<Integer, SectionTable> tables) {
    Set<Integer> sections = new TreeSet<>();
    steps.forEach(step -> sections.addAll(step.sections()));
    return gather.places(sections).thenApply(places -> new Prepared(steps, places, tables));
  }

  /**
   * Waits for what the store has to say about the sections.
   *
   * @param mostBytes for one fetch, which is more only where a single step is
   * @throws MeshMismatchException if the rank's mode does not let it read the bundle
   */
  List<Part> parts(long mostBytes) {
    Prepared known = Futures.await(prepared);
    if (known.steps().isEmpty()) {
      return List.of();
    }
    List<Wanted> wanted = wanted(known.steps());
    long bytes = known.places().bytes();
    long all = (long) known.places().offsets().size() * bundle.bundle().tgbCount();
    boolean worthIt = wanted.size() == all || bytes <= BundleGather.GAP;
    if (worthIt && bytes <= mostBytes) {
      return List.of(new Part(known.steps(), wanted, true, bytes));
    }
    tables.putAll(known.tables());
    Places missing = without(known.places(), tables.keySet());
    tables.putAll(Futures.await(gather.tables(missing)));
    return cut(known, mostBytes);
  }

  private static List<Wanted> wanted(List<PlannedStep> steps) {
    Set<Wanted> wanted = new LinkedHashSet<>();
    for (PlannedStep step : steps) {
      step.sections().forEach(section -> wanted.add(new Wanted(section, step.tgb())));
    }
    return List.copyOf(wanted);
  }

  private static Places without(Places places, Set<Integer> known) {
    Map<Integer, Long> offsets = new HashMap<>(places.offsets());
    Map<Integer, Long> lengths = new HashMap<>(places.lengths());
    offsets.keySet().removeAll(known);
    lengths.keySet().removeAll(known);
    return new Places(offsets, lengths);
  }

  private List<Part> cut(Prepared known, long mostBytes) {
    List<Part> parts = new ArrayList<>();
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < known.steps().size(); i++) {
      long more = storedBytes(known.steps().get(i));
      if (i > from && bytes + more > mostBytes) {
        parts.add(part(known, from, i));
        from = i;
        bytes = 0;
      }
      bytes += more;
    }
    parts.add(part(known, from, known.steps().size()));
    return parts;
  }

  private long storedBytes(PlannedStep step) {
    return step.sections().stream().mapToLong(s -> tables.get(s).storedBytes(step.tgb())).sum();
  }

  private Part part(Prepared known, int from, int to) {
    List<PlannedStep> steps = known.steps().subList(from, to);
    List<Wanted> wanted = wanted(steps);
    return new Part(steps, wanted, false, gather.cost(known.places(), tables, wanted));
  }

  Fetch start(Part part) {
    Places places = prepared.join().places();
    return new Fetch(
        bundle,
        version,
        part.steps(),
        part.bytes(),
        part.whole() ? gather.whole(places) : gather.read(places, tables, part.wanted()));
  }

  /** The bundle, for those who want to know how far it goes. */
  BundleDescriptor bundle() {
    return bundle;
  }

  Topology topology() {
    return topology;
  }
}
