# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""Trains a small language model on a Lakestream stream three times over, and compares.

One job of two ranks runs through. Another one is killed, with SIGKILL, and goes on from its checkpoint with three ranks. Both
must have consumed the same sequences in each step, and their losses must agree. bin/train-example makes the stream and starts it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import Callable

from lakestream import RankReader, Stream, group_watermarks, layout

HERE = os.path.dirname(os.path.abspath(__file__))
# What the ranks of one step consumed, in rank order, and the loss of it.
History = dict[int, tuple[list[str], float]]
# Sums in another order: what is lost in a step is kept by the model, and grows with the steps.
TOLERANCE = 1e-4


class Job:
    """A training job of several processes, in a directory of its own."""

    def __init__(self, options: argparse.Namespace, name: str) -> None:
        self._options, self.name = options, name
        self.directory = os.path.join(options.dir, name)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.log = os.path.join(self.directory, "log")
        self.checkpoints = os.path.join(self.directory, "checkpoints")
        os.makedirs(self.log)
        os.makedirs(self.checkpoints)
        self._starts = 0

    def start(self, world: int) -> list[subprocess.Popen[bytes]]:
        """One process for each rank."""
        self._starts += 1
        options = self._options
        arguments = {
            "stream": options.stream, "checkpoints": self.checkpoints, "log": self.log, "group": f"train-example-{self.name}",
            "rendezvous": os.path.join(self.directory, f"rendezvous-{self._starts}"), "steps": options.steps,
            "checkpoint-every": options.checkpoint_every, "length": options.length,
        }  # fmt: skip
        command = [sys.executable, os.path.join(HERE, "train.py"), *(f"--{key}={value}" for key, value in arguments.items())]
        errors = os.path.join(self.directory, "stderr.log")
        processes = []
        for rank in range(world):
            with open(errors, "ab") as stderr:
                environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(world)}
                processes.append(subprocess.Popen(command, env=environment, stderr=stderr))
        return processes

    def history(self, generations: int = 1) -> History:
        """What was consumed; a later generation goes before an older one, which it has rolled back."""
        found: History = {}
        for generation in range(generations):
            ranks: dict[int, dict[int, tuple[list[str], float]]] = {}
            for name in sorted(os.listdir(self.log)):
                if name.startswith(f"{generation}-"):
                    with open(os.path.join(self.log, name), encoding="utf-8") as lines:
                        for line in lines:
                            fields = line.rstrip("\n").split("\t")
                            if line.endswith("\n") and len(fields) == 4:
                                hashes = fields[3].split(",") if fields[3] else []
                                ranks.setdefault(int(fields[0]), {})[int(fields[1])] = (hashes, float(fields[2]))
            worlds = max(len(of) for of in ranks.values())
            for step, of in ranks.items():
                if len(of) == worlds:  # a step that not all ranks had written when they were killed counts for nothing
                    found[step] = ([h for rank in sorted(of) for h in of[rank][0]], of[0][1])
        return found

    def steps(self) -> int:
        """How many the first rank has written."""
        path = os.path.join(self.log, "0-0.tsv")
        if not os.path.exists(path):
            return 0
        with open(path, "rb") as lines:
            return sum(1 for _ in lines)

    def failed(self, what: str) -> RuntimeError:
        with open(os.path.join(self.directory, "stderr.log"), encoding="utf-8", errors="replace") as errors:
            return RuntimeError(f"{what}:\n{errors.read()[-3000:]}")


def wait(job: Job, processes: list[subprocess.Popen[bytes]], until: Callable[[], bool] | None = None) -> None:
    """For all of them to end well; or until something is so."""
    try:
        while True:
            codes = [process.poll() for process in processes]
            if any(code not in (None, 0) for code in codes):
                raise job.failed(f"A rank of the job '{job.name}' failed with {codes}")
            if until is not None and until():
                return
            if all(code == 0 for code in codes):
                if until is not None:
                    raise job.failed(f"The job '{job.name}' ended before it was killed")
                return
            time.sleep(0.02)
    except BaseException:
        kill(processes)
        raise


def kill(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
    for process in processes:
        process.wait()


def run(options: argparse.Namespace) -> bool:
    os.makedirs(options.dir, exist_ok=True)
    with Stream.open(options.stream) as stream:
        manifest = stream.manifest
        if stream.slice_format != "tokens" or manifest.next_step < options.steps:
            raise SystemExit(f"{stream} holds {manifest.next_step} steps of '{stream.slice_format}'; {options.steps} of tokens are needed.")
        with RankReader(stream, layout(0, 1)[0], mode="batch") as reader:
            first = reader.next().tokens()
    options.length = first.length
    fact("stream", f"{options.stream}, {manifest.next_step:,} steps, written for a mesh of {stream.default_mesh}")
    fact("global batch", f"{len(first)} sequences of {first.length} tokens, the same for any number of ranks")

    heading("1  A job that runs through: 2 ranks")
    begin = time.monotonic()
    straight = Job(options, "straight")
    wait(straight, straight.start(2))
    expected = straight.history()
    fact("trained", f"{len(expected)} steps in {time.monotonic() - begin:.0f} s, loss {expected[0][1]:.3f} → {expected[options.steps - 1][1]:.3f}")

    heading("2  A job that is killed: 2 ranks")
    killed = Job(options, "killed")
    processes = killed.start(2)
    wait(killed, processes, lambda: killed.steps() >= options.kill_at)
    kill(processes)
    before = killed.history()
    fact("killed", f"kill -9 of both ranks, after step {max(before)}")

    heading("3  It goes on with 3 ranks")
    wait(killed, killed.start(3))
    after = killed.history(2)
    resumed_at = (options.kill_at // options.checkpoint_every) * options.checkpoint_every
    lost = {step: value for step, value in before.items() if step >= resumed_at}
    fact("resumed", f"at step {resumed_at}, from the checkpoint: {len(lost)} steps that had been trained beyond it are trained again")
    with Stream.open(options.stream) as stream:
        marks = group_watermarks(stream, "train-example-killed")
    fact("watermark", f"{len(marks)} ranks of generation {marks[0].generation} hold the stream from step {min(w.step for w in marks)} on")

    heading("The comparison")
    same = {step: hashes for step, (hashes, _) in after.items()} == {step: hashes for step, (hashes, _) in expected.items()}
    again = all(expected[step][0] == hashes for step, (hashes, _) in lost.items())
    furthest = max(abs(after[step][1] - expected[step][1]) / expected[step][1] for step in expected if step in after)
    records = sum(len(hashes) for hashes, _ in expected.values())
    fact("consumed", f"{records:,} sequences in {len(expected)} steps, {'the same in each step' if same and again else 'NOT THE SAME'}")
    fact("loss", f"differs by {furthest:.1e} at most (of itself; {TOLERANCE:.0e} is allowed)")
    holds = same and again and furthest <= TOLERANCE
    if options.picture:
        from picture import draw

        draw(options.picture, expected, before, after, options.kill_at, resumed_at)
        fact("picture", options.picture)
    print("\n" + ("OK: the killed job consumed what the other one did, step by step." if holds else "FAILED: see above."))
    return holds


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def fact(name: str, text: str) -> None:
    print(f"  {name:<13} {text}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bin/train-example", description=__doc__)
    parser.add_argument("--stream", required=True, help="a stream of tokens below 256")
    parser.add_argument("--dir", required=True, help="for logs and checkpoints; what earlier runs left there is removed")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--kill-at", type=int, default=34, help="the step before which the job is killed; default: %(default)s")
    parser.add_argument("--checkpoint-every", type=int, default=10, help="steps; default: %(default)s")
    parser.add_argument("--picture", help="a PNG of both curves; needs matplotlib")
    options = parser.parse_args(arguments)
    if not options.checkpoint_every <= options.kill_at < options.steps:
        parser.error("--kill-at must lie between the first checkpoint and the end")
    return 0 if run(options) else 1


if __name__ == "__main__":
    sys.exit(main())
