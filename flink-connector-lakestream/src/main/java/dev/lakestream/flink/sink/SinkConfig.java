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

import dev.lakestream.assembly.RemainderPolicy;
import dev.lakestream.commit.CommitSettings;
import dev.lakestream.commit.OnRewind;
import dev.lakestream.flink.StreamTarget;
import dev.lakestream.format.Uuids;
import dev.lakestream.producer.StagingSettings;
import dev.lakestream.retention.LagSettings;
import java.io.Serializable;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * What every part of one sink knows.
 *
 * @param target the stream
 * @param owner of this submission: made when the sink is built, and the same for all restarts
 * @param options those of {@link LakestreamSinkOptions}
 */
record SinkConfig(StreamTarget target, UUID owner, Configuration options) implements Serializable {

  private static final long serialVersionUID = 1L;

  <T> T get(ConfigOption<T> option) {
    return options.get(option);
  }

  boolean exactlyOnce() {
    return get(LakestreamSinkOptions.DELIVERY_GUARANTEE) == DeliveryGuarantee.EXACTLY_ONCE;
  }

  /** As the user gave it; empty: restored state decides, or {@link #ownProducerId}. */
  Optional<String> statedProducerId() {
    return options.getOptional(LakestreamSinkOptions.PRODUCER_ID);
  }

  /** Of a sink that neither states an id nor restored one. */
  String ownProducerId() {
    return statedProducerId().orElseGet(() -> "flink-" + Uuids.hex(owner));
  }

  OnRewind onRewind() {
    return get(LakestreamSinkOptions.ON_REWIND);
  }

  RemainderPolicy remainder() {
    return get(LakestreamSinkOptions.REMAINDER);
  }

  StagingSettings staging() {
    return new StagingSettings(
        get(LakestreamSinkOptions.BUNDLE_MAX_STEPS),
        get(LakestreamSinkOptions.BUNDLE_TARGET_SIZE).getBytes(),
        bufferBytes(),
        get(LakestreamSinkOptions.UPLOAD_PARALLELISM),
        get(LakestreamSinkOptions.COMPRESSION));
  }

  long bufferBytes() {
    return get(LakestreamSinkOptions.BUFFER_MEMORY).getBytes();
  }

  /**
   * Never gives up: a training run may pause for as long as it likes, and the job goes on after it.
   */
  Optional<LagSettings> lag() {
    return options
        .getOptional(LakestreamSinkOptions.MAX_LAG)
        .map(
            steps ->
                new LagSettings(
                    steps, LagSettings.of(steps).poll(), Duration.ofSeconds(Integer.MAX_VALUE)));
  }

  CommitSettings commits() {
    return CommitSettings.DEFAULT
        .withPacing(get(LakestreamSinkOptions.COMMIT_PACING))
        .withTimeout(get(LakestreamSinkOptions.COMMIT_TIMEOUT));
  }

  /** Without the store's options. */
  @Override
  public String toString() {
    return "Lakestream sink to " + target;
  }
}
