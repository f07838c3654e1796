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
package dev.lakestream.manifest;

import dev.lakestream.batch.EventTimeRange;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.format.Frame;
import dev.lakestream.store.Futures;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.Payload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Sealed history: a tree of immutable segments that only grows at its end. The root's children are
 * a forest whose trees get smaller towards the newest step, like the digits of a counter; when
 * {@link #FAN_OUT} neighbours have the same level they become one inner segment. So the root holds
 * O(log n) references, and a manifest holds the root alone: its size does not depend on history.
 *
 * <p>Assumptions: a segment is written for one manifest version, which is in its name, before that
 * manifest is created; if the create is lost, the segment is garbage that reclamation recognises by
 * that version, and the next attempt writes its own.
 */
final class Segments {

  static final int FAN_OUT = 16;

  /** Bounds a leaf, so that a checkpoint of many bundles makes several. */
  static final int MAX_LEAF = 512;

  private static final int CACHE = 64;

  private final ObjectStore store;
  private final UUID streamId;
  private final Map<String, SegmentCodec.Content> cache =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SegmentCodec.Content> eldest) {
          return size() > CACHE;
        }
      };

  Segments(ObjectStore store, UUID streamId) {
    this.store = store;
    this.streamId = streamId;
  }

  /**
   * Writes {@code bundles} behind what {@code root} holds.
   *
   * @param version of the manifest that will refer to the result
   * @param firstStep trimmed history below it is left out
   * @return the new root
   */
  SegmentRef append(
      Optional<SegmentRef> root, List<BundleDescriptor> bundles, long version, long firstStep) {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    List<SegmentRef> forest = new ArrayList<>();
    root.ifPresent(known -> forest.addAll(read(known).children()));
    forest.removeIf(tree -> tree.nextStep() <= firstStep);
    for (int from = 0; from < bundles.size(); from += MAX_LEAF) {
      int to = Math.min(bundles.size(), from + MAX_LEAF);
      forest.add(writeLeaf(bundles.subList(from, to), version, writes));
      mergeFullLevels(forest, version, writes);
    }
    SegmentRef newRoot = writeInner(forest, forest.get(0).level() + 1, version, writes);
    writes.forEach(Futures::await);
    return newRoot;
  }

  /**
   * Writes the segments anew that lead to replaced bundles; all others are referred to as they are.
   *
   * @param replaced by first step; each takes the place of a bundle of the same steps
   * @param version of the manifest that will refer to the result
   * @return the new root
   */
  SegmentRef replace(SegmentRef root, NavigableMap<Long, BundleDescriptor> replaced, long version) {
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    SegmentRef newRoot = replace(root, replaced, version, writes);
    writes.forEach(Futures::await);
    return newRoot;
  }

  private SegmentRef replace(
      SegmentRef ref,
      NavigableMap<Long, BundleDescriptor> replaced,
      long version,
      List<CompletableFuture<Void>> writes) {
    NavigableMap<Long, BundleDescriptor> mine =
        replaced.subMap(ref.firstStep(), true, ref.nextStep(), false);
    if (mine.isEmpty()) {
      return ref;
    }
    SegmentCodec.Content content = read(ref);
    if (ref.level() == 0) {
      List<BundleDescriptor> bundles =
          content.bundles().stream()
              .map(bundle -> mine.getOrDefault(bundle.firstStep(), bundle))
              .toList();
      return writeLeaf(bundles, version, writes);
    }
    List<SegmentRef> children =
        content.children().stream().map(child -> replace(child, mine, version, writes)).toList();
    return writeInner(children, ref.level(), version, writes);
  }

  private void mergeFullLevels(
      List<SegmentRef> forest, long version, List<CompletableFuture<Void>> writes) {
    while (endsInFullLevel(forest)) {
      List<SegmentRef> newest = forest.subList(forest.size() - FAN_OUT, forest.size());
      SegmentRef inner = writeInner(newest, newest.get(0).level() + 1, version, writes);
      newest.clear();
      forest.add(inner);
    }
  }

  private static boolean endsInFullLevel(List<SegmentRef> forest) {
    int size = forest.size();
    return size >= FAN_OUT && forest.get(size - FAN_OUT).level() == forest.get(size - 1).level();
  }

  private SegmentRef writeLeaf(
      List<BundleDescriptor> bundles, long version, List<CompletableFuture<Void>> writes) {
    BundleDescriptor first = bundles.get(0);
    BundleDescriptor last = bundles.get(bundles.size() - 1);
    EventTimeRange eventTime = first.bundle().eventTime();
    long records = 0;
    long rawBytes = 0;
    for (BundleDescriptor bundle : bundles) {
      eventTime = EventTimeRange.union(eventTime, bundle.bundle().eventTime());
      records += bundle.bundle().records();
      rawBytes += bundle.bundle().rawBytes();
    }
    byte[] bytes = SegmentCodec.encodeLeaf(streamId, version, bundles);
    String key = write(bytes, version, writes);
    return new SegmentRef(
        key,
        bytes.length,
        Frame.crc32c(bytes, 0, bytes.length),
        0,
        first.firstStep(),
        last.nextStep() - first.firstStep(),
        first.firstRow(),
        last.nextRow() - first.firstRow(),
        bundles.size(),
        records,
        rawBytes,
        eventTime);
  }

  private SegmentRef writeInner(
      List<SegmentRef> children, int level, long version, List<CompletableFuture<Void>> writes) {
    SegmentRef first = children.get(0);
    SegmentRef last = children.get(children.size() - 1);
    EventTimeRange eventTime = first.eventTime();
    for (SegmentRef child : children) {
      eventTime = EventTimeRange.union(eventTime, child.eventTime());
    }
    byte[] bytes = SegmentCodec.encodeInner(streamId, version, level, children);
    String key = write(bytes, version, writes);
    synchronized (cache) {
      cache.put(key, new SegmentCodec.Content(List.of(), List.copyOf(children)));
    }
    return new SegmentRef(
        key,
        bytes.length,
        Frame.crc32c(bytes, 0, bytes.length),
        level,
        first.firstStep(),
        last.nextStep() - first.firstStep(),
        first.firstRow(),
        last.nextRow() - first.firstRow(),
        children.stream().mapToLong(SegmentRef::bundles).sum(),
        children.stream().mapToLong(SegmentRef::records).sum(),
        children.stream().mapToLong(SegmentRef::rawBytes).sum(),
        eventTime);
  }

  private String write(byte[] bytes, long version, List<CompletableFuture<Void>> writes) {
    String key = StreamKeys.segment(version, UUID.randomUUID());
    writes.add(store.put(key, Payload.of(bytes)));
    return key;
  }

  /** What the segment holds; from memory where it has been read before. */
  SegmentCodec.Content read(SegmentRef ref) {
    synchronized (cache) {
      SegmentCodec.Content known = cache.get(ref.object());
      if (known != null) {
        return known;
      }
    }
    String what = "Segment " + store.address() + "/" + ref.object();
    ByteBuffer bytes = Futures.await(store.read(ref.object(), 0, ref.objectLength()));
    if (Frame.crc32c(bytes) != ref.objectCrc()) {
      throw new CorruptObjectException(what + " is not the object that its manifest refers to.");
    }
    SegmentCodec.Content content = SegmentCodec.decode(bytes, ref, streamId, what);
    synchronized (cache) {
      cache.put(ref.object(), content);
    }
    return content;
  }
}
