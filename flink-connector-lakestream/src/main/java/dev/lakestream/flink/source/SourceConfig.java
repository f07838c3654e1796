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

import dev.lakestream.batch.Mesh;
import dev.lakestream.flink.StreamTarget;
import java.io.Serializable;
import java.util.Optional;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;

/**
 * What every part of one source knows.
 *
 * @param target the stream
 * @param options those of {@link LakestreamSourceOptions}
 * @param hints what need not be read
 */
record SourceConfig(StreamTarget target, Configuration options, ReadHints hints)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  <T> T get(ConfigOption<T> option) {
    return options.get(option);
  }

  StartupMode startup() {
    return StartupMode.of(options);
  }

  BoundedMode bound() {
    return BoundedMode.of(options);
  }

  ReadOrder order() {
    return get(LakestreamSourceOptions.ORDER);
  }

  SliceSelection selection() {
    return SliceSelection.of(options);
  }

  /** The sections of a bundle that are to be read. */
  RankSet ranksOf(Mesh mesh) {
    return hints.ranks(selection().ranksOf(mesh), mesh);
  }

  Optional<String> group() {
    return options.getOptional(LakestreamSourceOptions.CONSUMER_GROUP);
  }

  boolean skipsReclaimed() {
    return get(LakestreamSourceOptions.ON_RECLAIMED) == OnReclaimed.EARLIEST;
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return "Lakestream source of " + target;
  }
}
