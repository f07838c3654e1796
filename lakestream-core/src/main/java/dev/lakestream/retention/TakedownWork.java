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
package dev.lakestream.retention;

import dev.lakestream.batch.BundleBuilder;
import dev.lakestream.batch.BundleName;
import dev.lakestream.batch.BundleRewrite;
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.StagedBundle;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.SliceEditor;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Redaction;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What a {@link Takedown} has prepared: the bundles that hold records which are to go, written anew
 * without them. Nothing refers to those yet.
 *
 * <p>Assumptions, and what recovers when one fails:
 *
 * <ul>
 *   <li>The bundles stand in a manifest that may be out of date by the time of the commit. {@link
 *       Takedown} compares each with what it finds there, and has those prepared again that others
 *       have replaced.
 *   <li>A new object bears the name of an owner that the newest manifest names, so that reclamation
 *       takes it for pending. What is never published is collected once that owner has gone.
 *   <li>The editor takes out what was asked for and nothing else; it is told of every slice of a
 *       step, and the counts of the new bundle are those of what it returns.
 * </ul>
 */
final class TakedownWork {

  /** What stands in place of a bundle. */
  record Replacement(BundleDescriptor old, BundleDescriptor fresh) {}

  private final TrainingStream stream;
  private final List<SliceEditor> editors;
  private final Takedown.Request request;
  private final Supplier<BundleName> names;
  private final Map<Long, Replacement> replacements = new TreeMap<>();
  private final Map<Long, Long> redactions = new TreeMap<>();

  /**
   * @param names of new bundles; asked for before one is written
   */
  TakedownWork(
      TrainingStream stream,
      List<SliceEditor> editors,
      Takedown.Request request,
      Supplier<BundleName> names) {
    this.stream = stream;
    this.editors = editors;
    this.request = request;
    this.names = names;
  }

  Takedown.Request request() {
    return request;
  }

  /** As they stand now, in step order. */
  List<Replacement> replacements() {
    return List.copyOf(replacements.values());
  }

  /** It does not count: what it was to replace is gone, or was replaced by another. */
  void forget(Replacement replacement) {
    replacements.remove(replacement.old.firstStep());
    for (long step = replacement.old.firstStep(); step < replacement.old.nextStep(); step++) {
      redactions.remove(step);
    }
  }

  Takedown.Result result(Optional<Long> version) {
    return new Takedown.Result(
        redactions, replacements.values().stream().map(Replacement::old).toList(), version);
  }

  /**
   * @param write whether to write the bundles anew, or only to count
   */
  void find(List<BundleDescriptor> bundles, boolean write) {
    for (BundleDescriptor bundle : bundles) {
      find(bundle, write);
    }
  }

  private void find(BundleDescriptor bundle, boolean write) {
    BundleRewrite rewrite = BundleRewrite.read(stream.store(), stream.id(), bundle.bundle());
    SliceEditor editor = editor(rewrite.sliceFormat(), bundle);
    Map<Integer, List<Slice>> edited = new TreeMap<>();
    List<Redaction> redacted = new ArrayList<>();
    long now = stream.time().currentTimeMillis();
    for (int tgb = 0; tgb < bundle.bundle().tgbCount(); tgb++) {
      long step = bundle.firstStep() + tgb;
      if (step < request.fromStep() || step >= request.toStep()) {
        continue;
      }
      List<Slice> slices = new ArrayList<>();
      long removed = 0;
      requireSlice(bundle, step);
      for (int dp = 0; dp < bundle.bundle().mesh().dp(); dp++) {
        String what = "Replica " + dp + " of step " + step + " of " + stream;
        SliceEditor.Edit edit =
            editor.without(request.removal(), dp, rewrite.chunks(tgb, dp), what);
        slices.addAll(edit.slices());
        removed += edit.removed();
      }
      if (removed > 0) {
        edited.put(tgb, slices);
        redacted.add(new Redaction(tgb, removed, now, request.reason()));
        redactions.put(step, removed);
      }
    }
    if (redacted.isEmpty()) {
      return;
    }
    BundleDescriptor fresh = bundle;
    if (write) {
      String object = names.get().object();
      BundleBuilder.Bundle built =
          rewrite.build(object, tgb -> Optional.ofNullable(edited.get(tgb)));
      Futures.await(stream.store().put(object, built.payload()));
      StagedBundle staged = built.staged();
      fresh = bundle.redacted(staged, redacted);
    }
    replacements.put(bundle.firstStep(), new Replacement(bundle, fresh));
  }

  private void requireSlice(BundleDescriptor bundle, long step) {
    if (request.removal() instanceof Removal.Records records
        && (records.dp() >= bundle.bundle().mesh().dp()
            || records.cp() >= bundle.bundle().mesh().cp())) {
      throw new InvalidBatchException(
          "Step "
              + step
              + " of "
              + stream
              + " has a mesh of "
              + bundle.bundle().mesh()
              + ": there are no "
              + records
              + ".");
    }
  }

  private SliceEditor editor(String format, BundleDescriptor bundle) {
    return editors.stream()
        .filter(editor -> editor.format().equals(format))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidBatchException(
                    "Bundle "
                        + bundle.bundle().object()
                        + " of "
                        + stream
                        + " holds slices of the format \""
                        + format
                        + "\". Records can be taken out here of: "
                        + String.join(", ", editors.stream().map(SliceEditor::format).toList())
                        + "."));
  }
}
