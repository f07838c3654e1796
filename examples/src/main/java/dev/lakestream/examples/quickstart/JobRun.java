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

import dev.lakestream.manifest.Manifest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs the job in a process of its own, kills that in the middle, and has another one restore the
 * newest checkpoint and finish.
 *
 * @param input directory of text files
 * @param checkpointInterval of the job
 * @param killAtStep when the stream has so many steps, the job is killed
 */
record JobRun(Workspace workspace, Path input, Duration checkpointInterval, long killAtStep) {

  /** Flink wants a scheme and takes the path after it literally: a blank is a blank. */
  private static final String FILE_SCHEME = "file://";

  private static final Duration POLL = Duration.ofMillis(50);

  /** For the moment to kill. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /**
   * What was done to the job.
   *
   * @param pid of the process that was killed
   * @param after so long after its start
   * @param step one past the newest step that it had published
   * @param published the newest checkpoint that it had published
   * @param staged bundles that it had uploaded and not published
   * @param newest its newest completed checkpoint
   */
  record Interruption(
      long pid, Duration after, long step, long published, int staged, RetainedCheckpoint newest) {}

  /**
   * Kills the job when enough steps are published and it stands between uploading bundles and
   * publishing them, where a sink has most to lose.
   */
  Interruption startAndKill(StreamWatch stream, Screen.Bar progress) {
    long start = System.nanoTime();
    JavaProcess first = start("job-1", List.of());
    long steps = 0;
    while (steps < killAtStep) {
      pause(first, POLL);
      requireAlive(first);
      steps = stream.steps();
      progress.to(steps);
    }
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (stream.unpublished() == 0 && System.nanoTime() < patience) {
      pause(first, Duration.ofMillis(1));
      requireAlive(first);
    }
    first.kill();
    Duration after = Duration.ofNanos(System.nanoTime() - start);
    Manifest left = stream.newest().orElseThrow();
    return new Interruption(
        first.process().pid(),
        after,
        left.nextStep(),
        StreamWatch.publishedCheckpoint(left),
        stream.unpublished(),
        newestCheckpoint());
  }

  private static void requireAlive(JavaProcess job) {
    if (!job.process().isAlive()) {
      job.requireSuccess();
      throw new QuickstartException(
          "The job had read all of its input before it could be killed. Give it more with"
              + " --input, some megabytes at least.");
    }
  }

  private RetainedCheckpoint newestCheckpoint() {
    return RetainedCheckpoint.newest(workspace.checkpoints())
        .orElseThrow(
            () ->
                new QuickstartException(
                    "The job has published steps and left no checkpoint in "
                        + workspace.checkpoints()
                        + "."));
  }

  /** A new process restores what the killed one has left, and reads the input to its end. */
  void restoreAndFinish(Interruption interruption, StreamWatch stream, Screen.Bar progress) {
    JavaProcess second =
        start("job-2", List.of("--restore", interruption.newest().directory().toString()));
    while (second.process().isAlive()) {
      progress.to(stream.steps());
      pause(second, POLL);
    }
    second.requireSuccess();
    progress.to(stream.steps());
  }

  private JavaProcess start(String name, List<String> more) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--input", input.toString()));
    arguments.addAll(List.of("--stream", workspace.address()));
    arguments.addAll(List.of("--checkpoints", FILE_SCHEME + workspace.checkpoints()));
    arguments.addAll(
        List.of("--checkpoint-interval", String.valueOf(checkpointInterval.toMillis())));
    arguments.addAll(more);
    return JavaProcess.start(
        name, QuickstartJob.class, List.of("-Xmx1g"), arguments, Map.of(), workspace.logs(), false);
  }

  /** Until the time is up, or the process has ended. */
  private static void pause(JavaProcess process, Duration time) {
    try {
      process.process().waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QuickstartException("Interrupted while the job was running.", e);
    }
  }
}
