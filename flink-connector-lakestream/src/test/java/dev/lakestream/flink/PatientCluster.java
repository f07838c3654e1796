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
package dev.lakestream.flink;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ResourceManagerOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;

/**
 * A cluster in this JVM, with one task manager, in which a job waits for slots.
 *
 * <p>A job that has ended frees its slots a little later than it says so. A cluster that has just
 * started lets the next job wait for them; one that is older than its start-up period, by default
 * the five minutes that a class of tests takes on a busy machine, fails that job at once, and all
 * its restarts: NoResourceAvailableException.
 */
public final class PatientCluster {

  private PatientCluster() {}

  public static MiniClusterExtension of(int slots) {
    return of(slots, new Configuration());
  }

  public static MiniClusterExtension of(int slots, Configuration configuration) {
    Configuration patient = new Configuration(configuration);
    patient.set(
        ResourceManagerOptions.STANDALONE_CLUSTER_STARTUP_PERIOD_TIME, Duration.ofHours(10));
    return new MiniClusterExtension(
        new MiniClusterResourceConfiguration.Builder()
            .setConfiguration(patient)
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(slots)
            .build());
  }
}
