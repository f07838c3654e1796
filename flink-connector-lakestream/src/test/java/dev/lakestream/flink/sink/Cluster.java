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

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.lakestream.flink.PatientCluster;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.test.junit5.MiniClusterExtension;

/** A cluster in this JVM, and what tests ask of its jobs. */
final class Cluster {

  private Cluster() {}

  static MiniClusterExtension create() {
    return create(new Configuration());
  }

  static MiniClusterExtension create(Configuration configuration) {
    return PatientCluster.of(12, configuration);
  }

  /** Takes a savepoint and lets the job go on; returns where it is. */
  static String savepoint(JobClient job, Path directory) throws Exception {
    return job.triggerSavepoint(directory.toUri().toString(), SavepointFormatType.CANONICAL)
        .get(60, TimeUnit.SECONDS);
  }

  /** Stops the job with a savepoint, without ending its input; returns where it is. */
  static String stop(JobClient job, Path directory) throws Exception {
    return job.stopWithSavepoint(false, directory.toUri().toString(), SavepointFormatType.CANONICAL)
        .get(60, TimeUnit.SECONDS);
  }

  static void cancel(JobClient job) throws Exception {
    job.cancel().get(60, TimeUnit.SECONDS);
    await().atMost(Duration.ofSeconds(60)).until(() -> status(job) == JobStatus.CANCELED);
  }

  static JobStatus status(JobClient job) {
    return job.getJobStatus().join();
  }

  /** Waits for a condition that the job brings about. */
  static void until(JobClient job, BooleanSupplier condition) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .failFast("the job ended", () -> status(job).isGloballyTerminalState())
        .until(condition::getAsBoolean);
  }

  /** Waits until the job has failed for good; returns all messages and causes. */
  static String failure(JobClient job) throws Exception {
    try {
      job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      assertThat(status(job)).isEqualTo(JobStatus.FAILED);
      return trace(e);
    }
    throw new AssertionError("The job finished.");
  }

  private static String trace(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return trace.toString();
  }
}
