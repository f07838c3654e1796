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
package dev.lakestream.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.lakestream.format.CorruptObjectException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.retention.Finding;
import dev.lakestream.retention.StreamVerifier;
import dev.lakestream.retention.VerifyListener;
import dev.lakestream.retention.VerifyResult;
import dev.lakestream.store.ObjectStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lakestream verify}. */
@Command(
    name = "verify",
    description = {
      "Checks every checksum, and every invariant that can be seen at rest.",
      "Reads only; writers may go on meanwhile. Exit status: 0 intact (there may be notes), 1 damaged,",
      "2 it could not be verified."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Lakestream.Version.class,
    footer = {
      "",
      "Examples:",
      "  lakestream verify /data/stream",
      "  lakestream verify s3://bucket/stream --quick --json"
    })
final class VerifyCommand implements Callable<Integer> {

  private static final int DAMAGED = 1;

  /** Of each severity; the rest is counted. */
  private static final int SHOWN = 50;

  @Spec private CommandSpec spec;
  @Mixin private StreamOptions stream;

  @Option(
      names = "--quick",
      description = "Of each bundle only its presence, length and footer: one request each.")
  private boolean quick;

  @Option(names = "--all", description = "Print every finding, not the first 50 of a kind.")
  private boolean all;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try (ObjectStore store = stream.open()) {
      TrainingStream opened = TrainingStream.open(store);
      return json ? asJson(opened, out) : asText(opened, out);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private StreamVerifier verifier(TrainingStream opened, VerifyListener listener) {
    StreamVerifier verifier = StreamVerifier.of(opened).listener(listener);
    return quick ? verifier.quick() : verifier;
  }

  private int asText(TrainingStream opened, PrintWriter out) {
    TextListener listener = new TextListener(out, all ? Integer.MAX_VALUE : SHOWN);
    out.println("Verifying " + opened + (quick ? ", quickly" : "") + " …");
    out.flush();
    VerifyResult result;
    try {
      result = verifier(opened, listener).verify();
    } catch (CorruptObjectException e) {
      listener.end();
      out.println("ERROR  " + e.getMessage());
      out.println(
          "DAMAGED: the newest manifest cannot be read, so that nothing else can be verified.");
      return DAMAGED;
    }
    listener.end();
    out.printf(
        Locale.ROOT,
        "Looked at %s, %s, %s with %s (%s), %s in the store.%n",
        Text.count(result.manifests(), "manifest"),
        Text.count(result.segments(), "segment"),
        Text.count(result.bundles(), "bundle"),
        Text.count(result.steps(), "step"),
        Text.size(result.bundleBytes()),
        Text.count(result.objects(), "object"));
    String notes = result.notes() == 0 ? "" : ", " + Text.count(result.notes(), "note");
    out.println(
        result.isIntact()
            ? "INTACT at manifest " + result.version() + notes + "."
            : "DAMAGED: " + Text.count(result.errors(), "error") + notes + ".");
    return result.isIntact() ? 0 : DAMAGED;
  }

  private int asJson(TrainingStream opened, PrintWriter out) throws IOException {
    boolean[] intact = {false};
    Json.object(
        out,
        fields -> {
          fields.writeStringField("stream", opened.id().toString());
          fields.writeStringField("address", opened.store().address());
          fields.writeBooleanField("quick", quick);
          fields.writeArrayFieldStart("findings");
          VerifyResult result = null;
          try {
            result = verifier(opened, new JsonListener(fields)).verify();
          } catch (CorruptObjectException e) {
            write(
                fields,
                new Finding(Finding.Severity.ERROR, Finding.Check.MANIFESTS, "", e.getMessage()));
          }
          fields.writeEndArray();
          if (result != null) {
            write(fields, result);
            intact[0] = result.isIntact();
          }
          fields.writeBooleanField("intact", intact[0]);
        });
    return intact[0] ? 0 : DAMAGED;
  }

  private static void write(JsonGenerator json, VerifyResult result) throws IOException {
    json.writeNumberField("version", result.version());
    json.writeNumberField("manifests", result.manifests());
    json.writeNumberField("segments", result.segments());
    json.writeNumberField("bundles", result.bundles());
    json.writeNumberField("steps", result.steps());
    json.writeNumberField("bundleBytes", result.bundleBytes());
    json.writeNumberField("objects", result.objects());
    json.writeNumberField("errors", result.errors());
    json.writeNumberField("notes", result.notes());
  }

  private static void write(JsonGenerator json, Finding finding) throws IOException {
    Json.object(
        json,
        fields -> {
          fields.writeStringField("severity", name(finding.severity()));
          fields.writeStringField("check", name(finding.check()));
          fields.writeStringField("object", finding.object());
          fields.writeStringField("message", finding.message());
        });
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private record JsonListener(JsonGenerator json) implements VerifyListener {

    @Override
    public void found(Finding finding) {
      try {
        write(json, finding);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static final class TextListener implements VerifyListener {

    private static final long PERIOD = 200_000_000;

    private final PrintWriter out;
    private final int most;
    private final boolean isTerminal = System.console() != null;
    private final Map<Finding.Severity, Long> counts = new EnumMap<>(Finding.Severity.class);
    private long shownAt;
    private int progressWidth;

    TextListener(PrintWriter out, int most) {
      this.out = out;
      this.most = most;
    }

    @Override
    public void found(Finding finding) {
      if (counts.merge(finding.severity(), 1L, Long::sum) <= most) {
        clearProgress();
        out.printf(
            Locale.ROOT,
            "%-5s  %-11s  %s%s%n",
            finding.severity(),
            name(finding.check()),
            finding.object().isEmpty() ? "" : Text.printable(finding.object()) + ": ",
            Text.printable(finding.message()));
        out.flush();
      }
    }

    @Override
    public void progress(Finding.Check check, long done, long total) {
      long now = System.nanoTime();
      if (isTerminal && now - shownAt > PERIOD) {
        shownAt = now;
        clearProgress();
        String line =
            "  "
                + name(check)
                + " "
                + Text.number(done)
                + (total > 0 ? " of " + Text.number(total) : "");
        System.err.print(line);
        System.err.flush();
        progressWidth = line.length();
      }
    }

    void end() {
      clearProgress();
      counts.forEach(
          (severity, count) -> {
            if (count > most) {
              out.println(
                  "… and "
                      + Text.count(count - most, "more " + name(severity))
                      + " (--all shows them).");
            }
          });
    }

    private void clearProgress() {
      if (progressWidth > 0) {
        System.err.print("\r" + " ".repeat(progressWidth) + "\r");
        progressWidth = 0;
      }
    }
  }
}
