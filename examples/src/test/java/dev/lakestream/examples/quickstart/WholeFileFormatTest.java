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
package dev.lakestream.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.connector.file.src.util.RecordAndPosition;
import org.apache.flink.core.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileFormatTest {

  @TempDir java.nio.file.Path directory;

  private final Configuration configuration = new Configuration();
  private WholeFileFormat format;
  private Path file;

  @BeforeEach
  void oneFile() throws IOException {
    java.nio.file.Path text = directory.resolve("a folder/é.txt");
    Files.createDirectories(text.getParent());
    Files.writeString(text, "two\nlines, ünïcode\n");
    format = new WholeFileFormat(new Path(directory.toString()));
    file = Path.fromLocalFile(text.toFile());
  }

  private FileSourceSplit split(CheckpointedPosition position) {
    return new FileSourceSplit("1", file, 0, 1, 0, 1, new String[0], position);
  }

  @Test
  void aFileIsOneDocumentNamedByItsPathBelowTheRoot() throws IOException {
    BulkFormat.Reader<Document> reader = format.createReader(configuration, split(null));
    BulkFormat.RecordIterator<Document> batch = reader.readBatch();
    RecordAndPosition<Document> record = batch.next();
    assertThat(record.getRecord())
        .isEqualTo(new Document("a folder/é.txt", "two\nlines, ünïcode\n"));
    assertThat(record.getRecordSkipCount()).isEqualTo(1);
    assertThat(batch.next()).isNull();
    assertThat(reader.readBatch()).isNull();
  }

  @Test
  void aSplitRestoredBehindItsRecordDeliversNothing() throws IOException {
    CheckpointedPosition behind = new CheckpointedPosition(CheckpointedPosition.NO_OFFSET, 1);
    assertThat(format.restoreReader(configuration, split(behind)).readBatch()).isNull();
  }

  @Test
  void aSplitRestoredBeforeItsRecordDeliversIt() throws IOException {
    CheckpointedPosition before = new CheckpointedPosition(CheckpointedPosition.NO_OFFSET, 0);
    assertThat(format.restoreReader(configuration, split(before)).readBatch()).isNotNull();
    assertThat(format.restoreReader(configuration, split(null)).readBatch()).isNotNull();
  }
}
