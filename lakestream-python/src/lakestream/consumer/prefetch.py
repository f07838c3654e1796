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
"""Fetches ahead of a reader, in order, under a bound on memory."""

from __future__ import annotations

import collections
import functools
import itertools
import random
import threading
import time
from typing import Any, Iterator

from lakestream.consumer.plan import Planned, Unit, Walk, units
from lakestream.consumer.pool import Pool
from lakestream.consumer.sections import BundleSections
from lakestream.errors import Stage
from lakestream.manifest.model import BundleDescriptor, Manifest

_MOST_UNITS = 64
_AHEAD = 8


class Prefetcher:
    """One thread looks up and plans, the pool's threads fetch, verify and decompress.

    Assumes that nothing it holds is delivered state: a seek throws all of it away. A failure is kept for the consumer, who gets
    it once it has come to that step; then the thread waits for a seek.
    """

    def __init__(self, walk: Walk, memory: int, threads: int, poll_interval: float, end: int | None) -> None:
        self._walk = walk
        self._memory = memory
        self._limit = max(1, memory // 4)
        self._poll_interval = poll_interval
        self._end = end
        self._pool = Pool(threads, "lakestream-fetch")
        self._changed = threading.Condition()
        self._queue: collections.deque[Unit] = collections.deque()
        self._generation = 0
        self._next: int | None = None  # where to begin; None: taken up, or nothing to do
        self._reserved = 0
        self._stage = Stage.MANIFEST
        self._failure: BaseException | None = None
        self._ended = False
        self._closed = False
        self._decoding: collections.Counter[int] = collections.Counter()
        self._thread = threading.Thread(target=self._run, name="lakestream-plan", daemon=True)
        self._thread.start()

    def seek(self, at: int) -> None:
        """Begins anew."""
        with self._changed:
            self._generation += 1
            self._next = at
            self._drop_all()
            self._failure = None
            self._ended = False
            self._decoding.clear()
            self._stage = Stage.MANIFEST
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._generation += 1
            self._drop_all()
            self._changed.notify_all()
        self._pool.close()
        self._thread.join(timeout=1.0)  # it may be inside a request; it is a daemon

    def _drop_all(self) -> None:
        """What is under way is counted until it is done."""
        for unit in self._queue:
            under_way = [request for request in unit.requests if not request.cancel() and not request.done()]
            left = len(under_way)
            if not left:
                self._reserved -= unit.reserved
                continue
            countdown = iter(range(left - 1, -1, -1))

            def done(_: Any, unit: Unit = unit, countdown: Iterator[int] = countdown) -> None:
                with self._changed:
                    if next(countdown) == 0:
                        self._reserved -= unit.reserved
                        self._changed.notify_all()

            for request in under_way:
                request.add_done_callback(done)
        self._queue.clear()

    # For the consumer

    def wait(self, seconds: float) -> tuple[Unit | None, Stage, bool]:
        """Waits, once, for the first unit to be there.

        The unit (None: not yet), what is being waited for, and whether the end has been reached.
        Raises what made the planning or the fetch of the first unit fail.
        """
        with self._changed:
            unit, stage = self._first()
            if unit is None and not self._ended and seconds > 0:
                self._changed.wait(seconds)
                unit, _ = self._first()
            return unit, stage, self._ended and unit is None and not self._queue

    def _first(self) -> tuple[Unit | None, Stage]:
        if self._queue:
            unit = self._queue[0]
            if any(not request.done() for request in unit.requests):
                return None, Stage.DECODE if self._decoding[id(unit)] else Stage.FETCH
            for request in unit.requests:
                request.result()
            return unit, Stage.FETCH
        if self._failure is not None:
            raise self._failure
        return None, self._stage

    def release(self, unit: Unit) -> None:
        """Its last step has been delivered."""
        with self._changed:
            if self._queue and self._queue[0] is unit:
                self._queue.popleft()
                self._reserved -= unit.reserved
                self._changed.notify_all()

    @property
    def held(self) -> int:
        """Bytes that are held or under way."""
        return self._reserved

    # The planning thread

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._next is None and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                at, generation = self._next, self._generation
                self._next = None
            assert at is not None
            try:
                self._plan(at, generation)
            except BaseException as e:
                with self._changed:
                    if generation == self._generation:
                        self._failure = e
                        self._changed.notify_all()

    def _plan(self, at: int, generation: int) -> None:
        walk = self._walk
        ahead: dict[str, BundleSections] = {}
        while self._is_current(generation):
            if self._end is not None and at >= self._end:
                with self._changed:
                    if generation == self._generation:
                        self._ended = True
                        self._changed.notify_all()
                return
            manifest = walk.stream.manifest
            if not walk.exists(manifest, at):
                at_most = self._poll_interval * random.uniform(0.5, 1.0)
                self._enter(Stage.MANIFEST, generation)
                manifest = walk.stream.refresh(at_most)
                if not walk.exists(manifest, at):
                    self._enter(Stage.NEW_STEP, generation)
                    self._pause(self._poll_interval * random.uniform(0.5, 1.5), generation)
                    continue
            self._enter(Stage.LOOKUP, generation)
            bundle = walk.bundle(manifest, at)
            walk.check(manifest, at, bundle)
            ahead = self._look_ahead(manifest, bundle, ahead)
            sections = ahead[bundle.object]
            if walk.topology.needs_counts(bundle.mesh) and sections.uniform_records() is None:
                self._tables(sections, [(d, c) for d in range(bundle.mesh.dp) for c in range(bundle.mesh.cp)])
            steps: list[Planned] = list(walk.plan(manifest, sections, at, self._end))
            for unit in units(sections, steps, self._limit, lambda keys: self._tables(sections, keys)):
                self._enter(Stage.FETCH, generation)
                if not self._submit(unit, generation):
                    return
            at = walk.next(steps[-1].at)

    def _look_ahead(
        self, manifest: Manifest, bundle: BundleDescriptor, known: dict[str, BundleSections]
    ) -> dict[str, BundleSections]:
        """This bundle and some after it; the footers of those that are not read by a stride are fetched at once."""
        stream = self._walk.stream
        following = stream.history.bundles(manifest, max(bundle.first_step, manifest.first_step))
        ahead: dict[str, BundleSections] = {}
        for one in itertools.islice(following, _AHEAD):
            sections = known.get(one.object)
            if sections is None:
                sections = BundleSections(stream.store, stream.id, one)
                if one.section_stride == 0:
                    self._pool.submit(sections.read_ahead)
            ahead[one.object] = sections
        return ahead

    def _tables(self, sections: BundleSections, keys: list[tuple[int, int]]) -> None:
        for request in [self._pool.submit(functools.partial(sections.table, d, c)) for d, c in keys]:
            request.result()

    def _is_current(self, generation: int) -> bool:
        return generation == self._generation and not self._closed

    def _enter(self, stage: Stage, generation: int) -> None:
        with self._changed:
            if generation == self._generation and stage is not self._stage:
                self._stage = stage
                self._changed.notify_all()

    def _pause(self, seconds: float, generation: int) -> None:
        end = time.monotonic() + seconds
        with self._changed:
            while self._is_current(generation) and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)

    def _submit(self, unit: Unit, generation: int) -> bool:
        with self._changed:
            while (
                self._is_current(generation)
                and self._queue
                and (len(self._queue) >= _MOST_UNITS or self._reserved + unit.reserved > self._memory)
            ):
                self._changed.wait()
            if not self._is_current(generation):
                return False
            self._reserved += unit.reserved
            # A future tells whoever looks before this thread goes on that it is done.
            requests: list[Any] = []
            decoding = functools.partial(self._decodes, unit)
            for d, c in unit.whole:
                requests.append(self._pool.submit(functools.partial(unit.fetch_section, d, c, decoding)))
            for wanted in unit.ranges:
                requests.append(self._pool.submit(functools.partial(unit.fetch_range, wanted, decoding)))
            unit.requests = requests
            self._queue.append(unit)
            self._changed.notify_all()
        for request in requests:
            request.add_done_callback(lambda _: self._signal())
        return True

    def _decodes(self, unit: Unit) -> None:
        with self._changed:
            self._decoding[id(unit)] += 1
            self._changed.notify_all()

    def _signal(self) -> None:
        with self._changed:
            self._changed.notify_all()
