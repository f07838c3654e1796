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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.reader.BulkFormat;
import org.apache.flink.connector.file.src.util.CheckpointedPosition;
import org.apache.flink.connector.file.src.util.SingletonResultIterator;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.Path;

/**
 * For Flink's file source: every file is one {@link Document}, in UTF-8.
 *
 * <p>A split is a whole file and has one record. A checkpoint therefore holds a split either before
 * its record or behind it, which is what {@link #restoreReader} tells apart.
 */
final class WholeFileFormat implements BulkFormat<Document, FileSourceSplit> {

  private static final long serialVersionUID = 1L;

  private final Path root;

  /**
   * @param root the input directory; documents are named by their path below it
   */
  WholeFileFormat(Path root) {
    this.root = root;
  }

  @Override
  public Reader<Document> createReader(Configuration config, FileSourceSplit split) {
    return new WholeFileReader(split.path(), false);
  }

  @Override
  public Reader<Document> restoreReader(Configuration config, FileSourceSplit split) {
    boolean delivered =
        split.getReaderPosition().map(CheckpointedPosition::getRecordsAfterOffset).orElse(0L) > 0;
    return new WholeFileReader(split.path(), delivered);
  }

  @Override
  public boolean isSplittable() {
    return false;
  }

  @Override
  public TypeInformation<Document> getProducedType() {
    return TypeInformation.of(Document.class);
  }

  private final class WholeFileReader implements Reader<Document> {

    private final Path file;
    private boolean delivered;

    WholeFileReader(Path file, boolean delivered) {
      this.file = file;
      this.delivered = delivered;
    }

    @Override
    public RecordIterator<Document> readBatch() throws IOException {
      if (delivered) {
        return null;
      }
      delivered = true;
      SingletonResultIterator<Document> record = new SingletonResultIterator<>();
      record.set(read(), CheckpointedPosition.NO_OFFSET, 1);
      return record;
    }

    private Document read() throws IOException {
      try (FSDataInputStream in = file.getFileSystem().open(file)) {
        return new Document(name(), new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }

    private String name() {
      return file.getPath().substring(root.getPath().length() + 1);
    }

    @Override
    public void close() {}
  }
}
