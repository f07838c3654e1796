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

import dev.lakestream.batch.BundleReader;
import dev.lakestream.batch.Compression;
import dev.lakestream.batch.Mesh;
import dev.lakestream.batch.Slice;
import dev.lakestream.batch.slice.Removal;
import dev.lakestream.batch.slice.TokenSlice;
import dev.lakestream.batch.slice.TokenWidth;
import dev.lakestream.manifest.BundleDescriptor;
import dev.lakestream.manifest.Manifest;
import dev.lakestream.retention.Takedown;
import dev.lakestream.retention.Watermark;
import dev.lakestream.retention.Watermarks;
import dev.lakestream.store.ObjectStore;
import dev.lakestream.store.S3ProxyServer;
import dev.lakestream.store.Stores;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes streams for tests of readers in other languages, and says what they hold: a process that
 * takes commands on its standard input and ends with it.
 *
 * <pre>
 * java … StreamsForReaders DIRECTORY     streams go to DIRECTORY/streams, what they hold to DIRECTORY/expected.json
 * commit NAME K…      appends bundles of so many steps by one commit
 * trim NAME STEP      trims a stream
 * delete NAME KEY     deletes an object
 * takedown NAME STEP  takes record 0 of slice (0, 0) out of a step
 * watermark NAME GROUP RANK WORLD GENERATION STEP
 * watermarks NAME     prints those of all groups
 * expect              writes expected.json anew
 * s3                  starts an S3 server, writes a stream there, prints its address and options
 * </pre>
 *
 * Each command is answered by one line.
 */
public final class StreamsForReaders {

  private final Path directory;
  private final Map<String, WrittenStream> streams = new LinkedHashMap<>();
  private final Map<String, ObjectStore> stores = new LinkedHashMap<>();
  private S3ProxyServer server;

  private StreamsForReaders(Path directory) {
    this.directory = directory;
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    StreamsForReaders fixture = new StreamsForReaders(Path.of(args[0]).toAbsolutePath());
    Files.createDirectories(fixture.directory.resolve("streams"));
    fixture.writeAll();
    fixture.expect();
    System.out.println("ready");
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      System.out.println(fixture.obey(line.split(" ")));
    }
    System.exit(0);
  }

  private void writeAll() {
    add("raw", new Mesh(2, 2), "raw", WrittenStream::unevenSlice).commit(1).commit(3, 2).commit(16);
    add("raw-even", new Mesh(3, 1), "raw", (s, d, c) -> raw(s, d, c, 1000)).commit(4, 4).commit(5);
    add("large", new Mesh(1, 2), "raw", (s, d, c) -> raw(s, d, c, 300_000)).commit(8, 8).commit(8);
    add("zstd", new Mesh(2, 1), "records", SampleSlices::records)
        .compressed(Compression.ZSTD)
        .commit(7, 3);
    add("lz4", new Mesh(2, 1), "records", SampleSlices::records)
        .compressed(Compression.LZ4)
        .commit(7, 3);
    changing("records", "records", SampleSlices::records);
    add("uniform", new Mesh(2, 2), "records", SampleSlices::twoRecords).commit(4);
    tokens("tokens", TokenWidth.U16);
    tokens("tokens-wide", TokenWidth.U32);
    add("redacted", new Mesh(2, 2), "records", SampleSlices::twoRecords).commit(2, 2, 2);
    Mesh mesh = new Mesh(2, 2);
    add("text", mesh, "tokens", (s, d, c) -> SampleSlices.text(s, d, c, mesh)).commit(16, 16);
    changing("raw-changing", "raw", WrittenStream::unevenSlice);
    WrittenStream sealed = add("sealed", new Mesh(2, 1), "raw", WrittenStream::unevenSlice);
    for (int commit = 0; commit < 150; commit++) {
      sealed.commit(1, 2);
    }
    WrittenStream trimmed = add("trimmed", new Mesh(2, 1), "raw", WrittenStream::unevenSlice);
    for (int commit = 0; commit < 40; commit++) {
      trimmed.commit(2, 2);
    }
    trimmed.trim(75);
    add("empty", new Mesh(2, 1), "raw", WrittenStream::unevenSlice);
    add("live", new Mesh(2, 1), "raw", WrittenStream::unevenSlice).commit(2);
    add("damaged", new Mesh(1, 1), "raw", (s, d, c) -> raw(s, d, c, 100)).commit(1, 1, 1);
  }

  private static Slice raw(long step, int d, int c, int length) {
    return Slice.of(WrittenStream.bytes(step, d, c, length), 1);
  }

  private WrittenStream add(String name, Mesh mesh, String format, WrittenStream.Content content) {
    String address = "file://" + directory.resolve("streams").resolve(name);
    return add(name, Stores.open(address, Map.of("file.sync", "false")), mesh, format, content);
  }

  private WrittenStream add(
      String name, ObjectStore store, Mesh mesh, String format, WrittenStream.Content content) {
    WrittenStream stream = new WrittenStream(store, mesh, format, content);
    streams.put(name, stream);
    stores.put(name, store);
    return stream;
  }

  private void tokens(String name, TokenWidth width) {
    Mesh[] now = {new Mesh(2, 2)};
    WrittenStream stream =
        add(name, now[0], "tokens", (s, d, c) -> SampleSlices.tokens(s, d, c, now[0], width));
    stream.commit(3, 4);
    for (Mesh next : List.of(new Mesh(4, 1), new Mesh(3, 4), new Mesh(2, 2))) {
      now[0] = next;
      stream.mesh(next).commit(2).commit(3);
    }
  }

  private void changing(String name, String format, WrittenStream.Content content) {
    WrittenStream stream = add(name, new Mesh(2, 2), format, content).commit(3, 4);
    for (Mesh next : List.of(new Mesh(4, 1), new Mesh(3, 4), new Mesh(2, 2))) {
      stream.mesh(next).commit(2).commit(3);
    }
  }

  private String obey(String[] command) throws Exception {
    switch (command[0]) {
      case "commit" -> {
        int[] steps = Arrays.stream(command).skip(2).mapToInt(Integer::parseInt).toArray();
        streams.get(command[1]).commit(steps);
      }
      case "trim" -> streams.get(command[1]).trim(Long.parseLong(command[2]));
      case "delete" -> stores.get(command[1]).delete(command[2]).join();
      case "watermark" -> writeWatermark(command);
      case "watermarks" -> {
        return new Watermarks(streams.get(command[1]).stream()).all().toString();
      }
      case "takedown" -> takeDown(streams.get(command[1]), Long.parseLong(command[2]));
      case "expect" -> expect();
      case "s3" -> {
        return startS3();
      }
      default -> throw new IllegalArgumentException(String.join(" ", command));
    }
    return "done";
  }

  private static void takeDown(WrittenStream stream, long step) {
    Removal first = new Removal.Records(0, 0, new TreeSet<>(Set.of(0)));
    new Takedown(stream.stream(), List.of())
        .run(new Takedown.Request(step, step + 1, first, "asked for by its author"));
  }

  private void writeWatermark(String[] command) {
    WrittenStream stream = streams.get(command[1]);
    Watermark watermark =
        new Watermark(
            stream.stream().id(),
            command[2],
            Integer.parseInt(command[3]),
            Integer.parseInt(command[4]),
            Long.parseLong(command[5]),
            stream.head().version(),
            Long.parseLong(command[6]),
            Optional.of(new Mesh(2, 1)),
            1234,
            Watermark.Kind.RANK);
    new Watermarks(stream.stream()).write(watermark);
  }

  private String startS3() throws Exception {
    server = new S3ProxyServer(Files.createDirectories(directory.resolve("s3")));
    server.createBucket("training");
    String address = "s3://training/a stream+ü";
    ObjectStore store = Stores.open(address, server.options());
    add("s3", store, new Mesh(2, 2), "raw", WrittenStream::unevenSlice).commit(3, 5).commit(16);
    expect();
    String options =
        server.options().entrySet().stream()
            .map(option -> option.getKey() + "=" + option.getValue())
            .collect(Collectors.joining("\t"));
    return address + "\t" + options;
  }

  private void expect() throws Exception {
    List<String> described = new ArrayList<>();
    for (Map.Entry<String, WrittenStream> stream : streams.entrySet()) {
      described.add("\"" + stream.getKey() + "\": " + describe(stream.getValue()));
    }
    String text = "{\n" + String.join(",\n", described) + "\n}\n";
    Files.writeString(directory.resolve("expected.json"), text);
  }

  private static String describe(WrittenStream stream) throws Exception {
    Manifest head = stream.head();
    List<String> steps = new ArrayList<>();
    for (long step = head.firstStep(); step < head.nextStep(); step++) {
      BundleDescriptor bundle = stream.stream().history(head).bundleOf(step).orElseThrow();
      Mesh mesh = bundle.bundle().mesh();
      List<String> slices = new ArrayList<>();
      for (int r = 0; r < mesh.slices(); r++) {
        slices.add(describe(stream, bundle, step, r / mesh.cp(), r % mesh.cp()));
      }
      steps.add(
          "{\"step\": %d, \"row\": %d, \"mesh\": [%d, %d], \"slices\": %s}"
              .formatted(step, bundle.rowOf(step), mesh.dp(), mesh.cp(), slices));
    }
    return "{\"stream_id\": \"%s\", \"version\": %d, \"first_step\": %d, \"next_step\": %d, \"next_row\": %d, \"steps\": [\n%s]}"
        .formatted(
            stream.stream().id(),
            head.version(),
            head.firstStep(),
            head.nextStep(),
            head.nextRow(),
            String.join(",\n", steps));
  }

  private static String describe(
      WrittenStream stream, BundleDescriptor bundle, long step, int d, int c) throws Exception {
    Slice slice =
        BundleReader.of(stream.stream().store(), stream.stream().id(), bundle.bundle())
            .section(d, c)
            .slice((int) (step - bundle.firstStep()));
    ByteBuffer bytes = slice.bytes().duplicate();
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(bytes);
    String hash = HexFormat.of().formatHex(digest.digest());
    String tokens = stream.stream().info().sliceFormat().equals("tokens") ? tokens(slice) : "null";
    return "{\"records\": %d, \"sha256\": \"%s\", \"tokens\": %s}"
        .formatted(slice.records(), hash, tokens);
  }

  private static String tokens(Slice slice) {
    TokenSlice decoded = TokenSlice.decode(slice.bytes());
    List<String> sequences = new ArrayList<>();
    for (int i = 0; i < decoded.count(); i++) {
      sequences.add(
          "{\"tokens\": %s, \"targets\": %s, \"positions\": %s, \"segments\": %s, \"cu_seqlens\": %s}"
              .formatted(
                  Arrays.toString(decoded.tokens(i)),
                  Arrays.toString(decoded.targets(i)),
                  Arrays.toString(decoded.positions(i)),
                  Arrays.toString(decoded.segmentIds(i)),
                  Arrays.toString(decoded.cuSeqlens(i))));
    }
    return sequences.toString();
  }
}
