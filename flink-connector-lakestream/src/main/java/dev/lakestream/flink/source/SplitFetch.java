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
package dev.lakestream.flink.source;

import dev.lakestream.batch.BundleIndex;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.BundleScan;
import dev.lakestream.batch.RankSection;
import dev.lakestream.batch.SectionTable;
import dev.lakestream.batch.Slice;
import dev.lakestream.store.Futures;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The fetching of one split: the plan, and the parts that are under way, in the order in which they
 * are read. Used by one thread.
 */
final class SplitFetch {

  private final BundleSplit split;
  private final BundleScan scan;
  private final long mostBytes;
  private final long requestBytes;
  private final boolean whole;
  private final SliceDeserializer.Needs needs;
  private final PartialFetch partial;
  private final CompletableFuture<BundleIndex> index;
  private final Map<Integer, CompletableFuture<SectionTable>> tables = new HashMap<>();

  /** Null until the index is here; those that have been started are taken out. */
  private Deque<FetchPlan.Part> planned;

  private final Deque<Fetched> started = new ArrayDeque<>();

  /**
   * A part that is under way or here.
   *
   * @param content done when all bytes of the part are here
   */
  record Fetched(FetchPlan.Part part, CompletableFuture<? extends SliceSource> content) {}

  /**
   * @param sections one for each rank of the part, in their order
   */
  record Content(BundleIndex index, List<RankSection> sections) implements SliceSource {
    @Override
    public Slice slice(int rankIndex, int tgb) {
      return sections.get(rankIndex).slice(tgb);
    }
  }

  /** What is known of the slices of a part, without their bytes. */
  record Counts(BundleIndex index, List<SectionTable> tables) implements SliceSource {
    @Override
    public Slice slice(int rankIndex, int tgb) {
      return new Slice(ByteBuffer.allocate(0), tables.get(rankIndex).records(tgb));
    }
  }

  /** What the footer knows: all slices of a step are counted with the first. */
  record StepCounts(BundleIndex index) implements SliceSource {
    @Override
    public Slice slice(int rankIndex, int tgb) {
      long records = rankIndex == 0 ? index.tgbs().get(tgb).records() : 0;
      return new Slice(ByteBuffer.allocate(0), Math.toIntExact(records));
    }
  }

  /** What a part holds when it is here. */
  interface SliceSource {
    BundleIndex index();

    /**
     * @param rankIndex counted within the part
     * @param tgb counted within the bundle
     */
    Slice slice(int rankIndex, int tgb);

    /** What was fetched of the slice, if that is not all of it; null: it is. */
    default SliceProjection.Parts parts(int rankIndex, int tgb) {
      return null;
    }

    /**
     * The bytes that were fetched.
     *
     * @param planned of the part
     */
    default long bytes(long planned) {
      return planned;
    }
  }

  SplitFetch(
      BundleSplit split,
      BundleScan scan,
      long mostBytes,
      long requestBytes,
      SliceDeserializer.Needs needs,
      PartialFetch partial) {
    this.split = split;
    this.needs = needs;
    this.partial = partial;
    this.scan = scan;
    this.mostBytes = mostBytes;
    this.requestBytes = requestBytes;
    long length = scan.wholeLength();
    this.whole =
        needs == SliceDeserializer.Needs.BYTES
            && !inParts()
            && FetchPlan.wholeBundle(split, length, Math.min(mostBytes, requestBytes));
    this.index = whole ? null : scan.reader().index();
    if (whole) {
      planned = new ArrayDeque<>();
      planned.add(
          new FetchPlan.Part(split.ranks(), split.next().tgb(), split.toTgb(), true, length));
    }
  }

  BundleSplit split() {
    return split;
  }

  /** Whether slices are long enough, on average, to look for less than all of them. */
  private boolean inParts() {
    long slices = (long) scan.reader().bundle().mesh().slices() * scan.reader().bundle().tgbCount();
    return partial != null && partial.wants(scan.wholeLength() / slices);
  }

  /** What there is to wait for before a part can be started or read; null: nothing. */
  CompletableFuture<?> awaited() {
    if (planned == null) {
      return index;
    }
    return started.isEmpty() ? null : started.peek().content();
  }

  /** Whether no part of it can be known. */
  boolean hasFailed() {
    return index != null && index.isCompletedExceptionally();
  }

  /** The next part to be started; null if there is none, or none known yet. */
  FetchPlan.Part next() {
    if (planned == null && index.isDone()) {
      planned = new ArrayDeque<>(plan());
    }
    return planned == null ? null : planned.peek();
  }

  private List<FetchPlan.Part> plan() {
    if (needs == SliceDeserializer.Needs.BYTES) {
      return FetchPlan.of(split, Futures.await(index), mostBytes);
    }
    long bytes = countsSteps() ? 1 : split.ranks().count() * tableBytes();
    return List.of(
        new FetchPlan.Part(split.ranks(), split.next().tgb(), split.toTgb(), false, bytes));
  }

  private long tableBytes() {
    return SectionTable.length(scan.reader().bundle().tgbCount());
  }

  /** A split that has all slices of its steps may take their sum, if a slice can hold it. */
  private boolean countsSteps() {
    return needs == SliceDeserializer.Needs.STEPS
        && split.ranks().count() == scan.reader().bundle().mesh().slices()
        && Futures.await(index).tgbs().stream().allMatch(tgb -> tgb.records() <= Integer.MAX_VALUE);
  }

  /** Starts the {@link #next} part. */
  Fetched start() {
    FetchPlan.Part part = planned.remove();
    Fetched fetched = new Fetched(part, fetch(part));
    started.add(fetched);
    return fetched;
  }

  private CompletableFuture<? extends SliceSource> fetch(FetchPlan.Part part) {
    if (needs != SliceDeserializer.Needs.BYTES) {
      return counts(part, Futures.await(index));
    }
    return !whole && inParts() ? parts(part) : content(part);
  }

  private CompletableFuture<PartialFetch.Content> parts(FetchPlan.Part part) {
    List<CompletableFuture<List<PartialFetch.Fetched>>> ranks = new ArrayList<>();
    for (int rank : part.ranks().toArray()) {
      ranks.add(
          table(rank)
              .thenCompose(
                  table -> partial.read(scan.reader(), table, part.fromTgb(), part.toTgb())));
    }
    return all(ranks)
        .thenApply(found -> new PartialFetch.Content(Futures.await(index), part.fromTgb(), found));
  }

  private CompletableFuture<Content> content(FetchPlan.Part part) {
    if (whole) {
      return scan.readAll().thenApply(all -> new Content(all.index(), all.sections()));
    }
    BundleIndex known = Futures.await(index);
    if (part.wholeSections()) {
      List<CompletableFuture<List<RankSection>>> runs = new ArrayList<>();
      for (RankSet.Run run : part.ranks().runs()) {
        runs.add(scan.read(known, run.from(), run.to(), requestBytes));
      }
      return all(runs)
          .thenApply(lists -> new Content(known, lists.stream().flatMap(List::stream).toList()));
    }
    List<CompletableFuture<RankSection>> sections = new ArrayList<>();
    for (int rank : part.ranks().toArray()) {
      sections.add(
          table(rank)
              .thenCompose(table -> scan.reader().read(table, part.fromTgb(), part.toTgb())));
    }
    return all(sections).thenApply(list -> new Content(known, list));
  }

  private CompletableFuture<? extends SliceSource> counts(FetchPlan.Part part, BundleIndex known) {
    if (countsSteps()) {
      return CompletableFuture.completedFuture(new StepCounts(known));
    }
    List<CompletableFuture<SectionTable>> all = new ArrayList<>();
    for (int rank : part.ranks().toArray()) {
      all.add(table(rank));
    }
    return all(all).thenApply(found -> new Counts(known, found));
  }

  private CompletableFuture<SectionTable> table(int rank) {
    BundleReader reader = scan.reader();
    int cp = reader.bundle().mesh().cp();
    return tables.computeIfAbsent(rank, r -> reader.readTable(r / cp, r % cp));
  }

  /** All of them, in their order. */
  static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
  }

  /** The part to be read now; null if none has been started. */
  Fetched current() {
    return started.peek();
  }

  /** The current part has been read. Whether it was the last one. */
  boolean finishCurrent() {
    started.remove();
    return started.isEmpty() && planned.isEmpty();
  }

  /** Parts that were started and not read. */
  List<Fetched> abandon() {
    List<Fetched> all = List.copyOf(started);
    started.clear();
    return all;
  }
}
