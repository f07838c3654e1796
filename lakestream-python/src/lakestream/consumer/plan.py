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
"""From positions to requests: which consumer steps a bundle holds for a rank, and the units in which they are fetched."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Iterator

from lakestream.consumer.cursor import Cursor
from lakestream.consumer.sections import BundleSections, Slice, SliceRange
from lakestream.consumer.topology import Mode, Part, RefusedError, Topology, place_of_row
from lakestream.errors import TrimmedError
from lakestream.manifest.model import BundleDescriptor, Manifest
from lakestream.stream import Stream

# A section up to this size is read whole even if not all of it is needed: one request instead of two.
_WHOLE = 1 << 20


@dataclasses.dataclass(frozen=True)
class Planned:
    """A consumer step: where it is, what the rank takes of it, and where a consumer stands after it."""

    at: int
    after: int
    step: int
    parts: list[Part]
    cursor: Cursor


@dataclasses.dataclass
class Unit:
    """Neighbouring consumer steps of one bundle that are fetched, held and let go together."""

    sections: BundleSections
    steps: list[Planned]
    whole: list[tuple[int, int]]
    ranges: list[SliceRange]
    reserved: int
    slices: dict[tuple[int, int, int], Slice] = dataclasses.field(default_factory=dict)
    requests: list[Any] = dataclasses.field(default_factory=list)

    def wanted(self, d: int, c: int) -> set[int]:
        first = self.sections.bundle.first_step
        return {part.step - first for planned in self.steps for part in planned.parts if (part.d, part.c) == (d, c)}

    def fetch_section(self, d: int, c: int, decoding: Callable[[], None]) -> None:
        data = self.sections.read_section(d, c)
        decoding()
        for k in self.wanted(d, c):
            self.slices[(d, c, k)] = self.sections.slice(d, c, k, data, 0)

    def fetch_range(self, wanted: SliceRange, decoding: Callable[[], None]) -> None:
        data = self.sections.read_range(wanted)
        decoding()
        for k in wanted.tgbs:
            self.slices[(wanted.d, wanted.c, k)] = self.sections.slice(wanted.d, wanted.c, k, data, wanted.offset)

    def slice(self, part: Part) -> Slice:
        key = (part.d, part.c, part.step - self.sections.bundle.first_step)
        found = self.slices.get(key)
        return found if found is not None else self.sections.empty_slice(*key)


class Walk:
    """The consumer steps of one rank. A position is a step, in mode rows a row; ``stride`` n takes every n-th step."""

    def __init__(self, stream: Stream, topology: Topology, stride: int = 1) -> None:
        self.stream, self.topology, self.stride = stream, topology, stride
        self._advance = topology.mesh.dp if topology.mode is Mode.ROWS else 1

    def after(self, at: int, steps: int = 1) -> int:
        return at + steps * self._advance

    def next(self, at: int) -> int:
        """The position of the next step that is taken."""
        return self.after(at, self.stride)

    def exists(self, manifest: Manifest, at: int) -> bool:
        return self.after(at) <= (manifest.next_row if self.topology.mode is Mode.ROWS else manifest.next_step)

    def bundle(self, manifest: Manifest, at: int) -> BundleDescriptor:
        """The one that holds the rank's part of the consumer step, which exists."""
        if self.topology.mode is Mode.ROWS:
            if at < manifest.first_row:
                raise self._trimmed_row(manifest, at)
            found = self.stream.history.bundle_of_row(manifest, at + self.topology.d)
        else:
            found = self.stream.history.bundle_of(manifest, at)
        assert found is not None
        return found

    def check(self, manifest: Manifest, at: int, bundle: BundleDescriptor) -> None:
        """Refuses the consumer step, which exists, if any of its rows cannot be read: all ranks read it or none does.

        ``bundle`` holds the rank's own part.
        """
        if self.topology.mode is not Mode.ROWS:
            self.topology.check(bundle.mesh)
            return
        end = self.after(at)
        if bundle.first_row <= at and end <= bundle.next_row:
            self._check_row(bundle, at, at, end)
            return
        first = bundle if bundle.first_row <= at else self.stream.history.bundle_of_row(manifest, at)
        assert first is not None
        for held in self.stream.history.bundles(manifest, max(first.first_step, manifest.first_step)):
            if held.first_row >= end:
                return
            self._check_row(held, max(held.first_row, at), at, end)

    def _check_row(self, held: BundleDescriptor, row: int, at: int, end: int) -> None:
        try:
            self.topology.check(held.mesh)
        except RefusedError as e:
            step, _ = place_of_row(held.first_step, held.first_row, held.mesh, row)
            place = f"Step {step} of {self.stream} (row {row}, of the consumer step of rows {at} to {end - 1})"
            raise RefusedError(e.refusal, f"{place}: {e}") from e

    def _reads(self, manifest: Manifest, at: int, bundle: BundleDescriptor) -> bool:
        try:
            self.check(manifest, at, bundle)
            return True
        except RefusedError:
            return False

    def _trimmed_row(self, manifest: Manifest, at: int) -> TrimmedError:
        error = TrimmedError(str(self.stream), manifest.first_step - 1, manifest.first_step)
        error.args = (f"Row {at} of {self.stream} has been reclaimed; the first one still held is {manifest.first_row}, which"
                      f" begins step {manifest.first_step}.",)  # fmt: skip
        return error

    def cursor(self, manifest: Manifest, at: int, near: BundleDescriptor | None = None) -> Cursor:
        """Where a consumer stands at a position; ``near`` spares a lookup if the position is in it or at its end."""
        rows = self.topology.mode is Mode.ROWS
        if near is None or not (near.first_row <= at <= near.next_row if rows else near.first_step <= at <= near.next_step):
            end = at == (manifest.next_row if rows else manifest.next_step)
            near = None if end else self.stream.history.bundle_of_row(manifest, at) if rows else self.stream.history.bundle_of(manifest, at)
        if near is None:
            step, row = manifest.next_step, manifest.next_row
        elif rows:
            step, row = place_of_row(near.first_step, near.first_row, near.mesh, at)[0], at
        else:
            step, row = at, near.row_of(at)
        return Cursor(self.stream.id, manifest.version, step, row, self.topology.mesh, self.topology.mode)

    def plan(self, manifest: Manifest, sections: BundleSections, at: int, end: int | None) -> Iterator[Planned]:
        """The consumer steps from ``at`` on (and before ``end``) that the bundle holds, up to one that is refused.

        The first one has been checked.
        """
        bundle, topology, first = sections.bundle, self.topology, at

        uniform = (sections.uniform_records() if topology.needs_counts(bundle.mesh) else None) or []

        def counts(tgb: int) -> Callable[[int, int], int]:
            if uniform:
                return lambda d, c: uniform[tgb]
            return lambda d, c: sections.table(d, c)[tgb].records

        while self.exists(manifest, at) and (end is None or at < end):
            if topology.mode is Mode.ROWS:
                if at + topology.d >= bundle.next_row or (at != first and not self._reads(manifest, at, bundle)):
                    return
                step, replica = place_of_row(bundle.first_step, bundle.first_row, bundle.mesh, at + topology.d)
                parts = topology.of_row(step, replica, bundle.mesh, counts(step - bundle.first_step))
            else:
                if at >= bundle.next_step:
                    return
                step = at
                parts = topology.of_step(step, bundle.mesh, counts(step - bundle.first_step))
            after = self.after(at)
            yield Planned(at, after, step, parts, self.cursor(manifest, after, bundle))
            at = self.next(at)


def units(sections: BundleSections, steps: list[Planned], limit: int, tables: Callable[[list[tuple[int, int]]], None]) -> Iterator[Unit]:
    """Cuts the steps of one bundle into units of at most ``limit`` bytes (or one step).

    ``tables`` reads the tables of several sections at once.
    """
    bundle = sections.bundle
    wanted: dict[tuple[int, int], set[int]] = {}
    for planned in steps:
        for part in planned.parts:
            wanted.setdefault((part.d, part.c), set()).add(part.step - bundle.first_step)
    # Only an estimate: how much longer slices are once they are decompressed.
    stored = max(1, bundle.footer_offset - 8 - bundle.mesh.slices * (16 + 40 * bundle.tgb_count))
    growth = bundle.raw_bytes / stored if bundle.raw_bytes > stored else 0.0
    whole, reserved = [], 0.0
    for (d, c), tgbs in wanted.items():
        length = sections.place(d, c)[1]
        if sections.known_table(d, c) is None and (len(tgbs) == bundle.tgb_count or length <= _WHOLE):
            whole.append((d, c))
        reserved += length * (1 + growth)
    if len(whole) == len(wanted) and reserved <= limit:
        yield Unit(sections, steps, whole, [], int(reserved))
        return
    tables([key for key in wanted if sections.known_table(*key) is None])
    group: list[Planned] = []
    size = 0
    for planned in steps:
        own = 0
        for part in planned.parts:
            entry = sections.table(part.d, part.c)[part.step - bundle.first_step]
            own += entry.stored + (entry.raw if entry.compression else 0)
        if group and size + own > limit:
            yield _ranged(sections, group, size)
            group, size = [], 0
        group.append(planned)
        size += own
    if group:
        yield _ranged(sections, group, size)


def _ranged(sections: BundleSections, steps: list[Planned], size: int) -> Unit:
    unit = Unit(sections, steps, [], [], size)
    for key in dict.fromkeys((part.d, part.c) for planned in steps for part in planned.parts):
        unit.ranges += sections.ranges(*key, sorted(unit.wanted(*key)))
    return unit
