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
package dev.lakestream.flink.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;

/** The retained checkpoints of a job. */
final class Checkpoints {

  private Checkpoints() {}

  static String newest(Path directory, JobID job) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve(job.toHexString()))) {
      return files
          .filter(file -> file.getFileName().toString().equals("_metadata"))
          .map(Path::getParent)
          .max(Comparator.comparingInt(Checkpoints::number))
          .orElseThrow()
          .toUri()
          .toString();
    }
  }

  private static int number(Path checkpoint) {
    return Integer.parseInt(checkpoint.getFileName().toString().substring("chk-".length()));
  }
}
