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
import dev.lakestream.batch.InvalidBatchException;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.slice.SliceFormats;
import dev.lakestream.manifest.StreamInfo;
import dev.lakestream.manifest.StreamNotFoundException;
import dev.lakestream.manifest.TrainingStream;
import dev.lakestream.store.ConditionalCreateProbe;
import dev.lakestream.store.ObjectStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code lakestream create}. */
@Command(
    name = "create",
    description = {
      "Creates an empty stream.",
      "Refuses a place that holds one already, and a store on which two writers could both create",
      "one object."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Lakestream.Version.class,
    footer = {
      "",
      "Examples:",
      "  lakestream create /data/stream --mesh 2x2 --slice-format tokens",
      "  lakestream create s3://bucket/stream --mesh 64x4 --slice-format records --option team=text"
    })
final class CreateCommand implements Callable<Integer> {

  private static final List<String> FORMATS =
      List.of(SliceFormats.RAW, SliceFormats.RECORDS, SliceFormats.TOKENS);

  @Spec private CommandSpec spec;
  @Mixin private StreamOptions stream;

  @Option(
      names = "--mesh",
      required = true,
      paramLabel = "DxC",
      converter = MeshConverter.class,
      description = "Of its batches, unless a producer says otherwise: D replicas of C chunks.")
  private Mesh mesh;

  @Option(
      names = "--slice-format",
      required = true,
      paramLabel = "FORMAT",
      description =
          "What the bytes of a slice are: raw, records or tokens. (arrow: CREATE TABLE in SQL.)")
  private String format;

  @Option(
      names = "--schema",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Of the records, in the terms of the slice format.")
  private String schema;

  @Option(
      names = "--option",
      paramLabel = "KEY=VALUE",
      description = "Kept with the stream, free, never a secret; may be repeated.")
  private Map<String, String> options = new LinkedHashMap<>();

  @Override
  public Integer call() {
    if (!FORMATS.contains(format)) {
      throw new ParameterException(
          spec.commandLine(),
          format.equals(SliceFormats.ARROW)
              ? "A stream of slices in the format arrow has the schema of a table: CREATE TABLE in"
                  + " SQL makes it."
              : "Unknown slice format '"
                  + format
                  + "'. Known are: "
                  + String.join(", ", FORMATS)
                  + ".");
    }
    try (ObjectStore store = stream.open()) {
      refuseExisting(store);
      ConditionalCreateProbe.check(store);
      StreamInfo wanted =
          new StreamInfo(
              UUID.randomUUID(), System.currentTimeMillis(), mesh, format, schema, options);
      TrainingStream created = TrainingStream.openOrCreate(store, wanted);
      if (!created.id().equals(wanted.id())) {
        throw exists(created);
      }
      spec.commandLine()
          .getOut()
          .println(
              "Created stream "
                  + created.id()
                  + " at "
                  + store.address()
                  + ": "
                  + format
                  + ", mesh "
                  + mesh
                  + ".");
      return 0;
    }
  }

  private static void refuseExisting(ObjectStore store) {
    TrainingStream found;
    try {
      found = TrainingStream.open(store);
    } catch (StreamNotFoundException none) {
      return;
    }
    throw exists(found);
  }

  private static LakestreamException exists(TrainingStream found) {
    return new LakestreamException(
        "There is a stream at "
            + found.store().address()
            + " already: "
            + found.id()
            + " ("
            + found.info().sliceFormat()
            + ", mesh "
            + found.info().defaultMesh()
            + "). Choose another place.");
  }

  /** {@code 2x4}. */
  static final class MeshConverter implements ITypeConverter<Mesh> {

    private static final Pattern MESH = Pattern.compile("([0-9]{1,9})[xX×]([0-9]{1,9})");

    @Override
    public Mesh convert(String text) {
      Matcher parts = MESH.matcher(text.strip());
      if (!parts.matches()) {
        throw new TypeConversionException(
            "'" + text + "' is not a mesh. Write D x C, for instance 2x4");
      }
      try {
        return new Mesh(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
      } catch (InvalidBatchException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
