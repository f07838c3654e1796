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

import dev.lakestream.LakestreamException;
import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.Futures;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code lakestream read}. */
@Command(
    name = "read",
    description = "Reads one slice of one step, verified, and shows what it holds.",
    footer = {
      "",
      "Examples:",
      "  lakestream read /data/stream --step 7 --dp 1 --cp 0",
      "  lakestream read /data/stream --step 7 --dp 1 --cp 0 --decode cl100k_base",
      "  lakestream read /data/stream --step 7 --dp 1 --cp 0 --format raw --out slice.bin"
    })
final class ReadCommand extends StreamCommand {

  @Option(names = "--step", required = true, paramLabel = "N", description = "Which step.")
  private long step;

  @Option(names = "--dp", required = true, paramLabel = "D", description = "Which DP replica.")
  private int dp;

  @Option(names = "--cp", required = true, paramLabel = "C", description = "Which CP rank.")
  private int cp;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "hex, text (UTF-8), records, tokens, arrow, or raw (the bytes as they are). Default: by"
              + " the stream's slice format.")
  private SliceView format;

  @Option(
      names = "--decode",
      paramLabel = "ENCODING",
      description = "Show tokens as text, by this encoding: cl100k_base, o200k_base, ….")
  private String encoding;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write to this file, which must not be there yet.")
  private Path file;

  @Override
  void checkOptions() {
    decoding();
  }

  @Override
  void run(TrainingStream opened) throws IOException {
    Slice slice = read(opened);
    SliceView view = format != null ? format : byDefault(opened.info().sliceFormat());
    if (encoding != null && view != SliceView.TOKENS) {
      throw wrong("--decode is for tokens, and this is shown as " + view + ".");
    }
    write(view, slice, decoding());
  }

  private SliceDecoding decoding() {
    try {
      return encoding == null ? SliceDecoding.NONE : SliceDecoding.named(encoding);
    } catch (LakestreamException e) {
      throw wrong(e);
    }
  }

  private Slice read(TrainingStream opened) {
    Manifest head = opened.log().newest();
    BundleDescriptor bundle =
        opened
            .history(head)
            .bundleOf(step)
            .orElseThrow(
                () ->
                    new LakestreamException(
                        "Step "
                            + step
                            + " of "
                            + opened
                            + " does not exist: it holds steps "
                            + Text.steps(head.firstStep(), head.nextStep())
                            + "."));
    int tgb = (int) (step - bundle.firstStep());
    BundleReader reader = BundleReader.of(opened.store(), opened.id(), bundle.bundle());
    return Futures.await(reader.read(dp, cp, tgb, tgb + 1)).slice(tgb);
  }

  private static SliceView byDefault(String sliceFormat) {
    return switch (sliceFormat) {
      case SliceFormats.TOKENS -> SliceView.TOKENS;
      case SliceFormats.RECORDS -> SliceView.RECORDS;
      case SliceFormats.ARROW -> SliceView.ARROW;
      default -> SliceView.HEX;
    };
  }

  private void write(SliceView view, Slice slice, SliceDecoding decoding) throws IOException {
    String what = "Slice (" + dp + ", " + cp + ") of step " + step;
    if (file == null) {
      OutputStream out = new BufferedOutputStream(root().binaryOut());
      view.write(slice, what, decoding, out);
      out.flush();
      return;
    }
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW))) {
      view.write(slice, what, decoding, out);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("There is a file " + file + " already. It is not overwritten.", e);
    } catch (NoSuchFileException e) {
      throw new IOException("There is no directory to hold " + file + ".", e);
    }
  }
}
