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
"""Reads what one rank of a training job consumes, step by step."""

from __future__ import annotations

import dataclasses
import time
from typing import Any, Iterator

from lakestream.consumer.cursor import Cursor
from lakestream.consumer.plan import Planned, Unit, Walk
from lakestream.consumer.prefetch import Prefetcher
from lakestream.consumer.topology import Mode, Part, Shape, Topology, layout
from lakestream.errors import (
    CorruptObjectError,
    Fault,
    ForeignCursorError,
    LakestreamError,
    MeshMismatchError,
    MissingModuleError,
    ReadTimeoutError,
    Stage,
    StepBeyondEndError,
    StoreError,
    TrimmedError,
    UnreadableStepError,
    UnsupportedVersionError,
)
from lakestream.format.messages import Redaction
from lakestream.manifest.model import BundleDescriptor
from lakestream.mesh import Mesh
from lakestream.slices.arrow import decode_arrow
from lakestream.slices.records import RecordSlice
from lakestream.slices.tokens import Tokens
from lakestream.stream import Stream

_STALE_POLLS = 10


@dataclasses.dataclass(frozen=True)
class RankStep:
    """What a rank gets of one consumer step.

    ``step`` is the stream's step that it is from. ``parts`` name what of which slices, ``slices`` are the bytes of those
    slices, whole; ``records``, ``tokens``, ``arrow`` and ``payload`` put the parts together. ``cursor`` is where a consumer
    stands that has consumed this step: to be kept with the model.
    """

    step: int
    parts: list[Part]
    slices: list[memoryview]
    slice_format: str
    bundle: BundleDescriptor
    cursor: Cursor
    topology: Topology = dataclasses.field(repr=False)

    @property
    def redactions(self) -> list[Redaction]:
        """What was taken out of the step after it was published."""
        return self.bundle.redactions_of(self.step)

    def _what(self, part: Part) -> str:
        return f"Slice ({part.d}, {part.c}) of step {part.step}"

    def _require(self, *formats: str) -> None:
        if self.slice_format not in formats:
            raise LakestreamError(f"The slices of this stream are '{self.slice_format}', not '{formats[0]}'.")

    def payload(self) -> memoryview:
        """The bytes: of the one slice, without copying, or of several one after the other. For formats with records only where
        the step is one whole slice."""
        if len(self.slices) == 1 and self.parts[0].from_record == 0 and self.parts[0].to_record is None:
            if not self.topology.cuts_columns(self.bundle.mesh):
                return self.slices[0]
        if self.topology.shape is not Shape.OPAQUE:
            raise LakestreamError("This step is put together from parts of slices: take records(), tokens() or arrow().")
        return memoryview(b"".join(self.slices))

    def records(self) -> list[memoryview]:
        """The records, as views without copying."""
        self._require("records")
        found: list[memoryview] = []
        for part, data in zip(self.parts, self.slices):
            found += RecordSlice(data, self._what(part))[part.from_record : part.to_record]
        return found

    def tokens(self) -> Tokens:
        """The sequences; a view of the slice where the step is one whole slice."""
        self._require("tokens")
        decoded = [Tokens.decode(data, self._what(part)) for part, data in zip(self.parts, self.slices)]
        length = next((tokens.length for tokens in decoded if tokens.length), 0)
        parts = self.topology.cut_columns(self.parts, self.bundle.mesh, length) if length else self.parts
        replicas: dict[int, list[Tokens]] = {}
        for part, tokens in zip(parts, decoded):
            if len(tokens) or tokens.length:
                chosen = tokens.rows(part.from_record, part.to_record)
                if part.from_column is not None and part.to_column is not None:
                    chosen = chosen.columns(part.from_column, part.to_column)
                replicas.setdefault(part.d, []).append(chosen)
        return Tokens.stacked([Tokens.joined(chunks) for chunks in replicas.values()])

    def arrow(self) -> list[Any]:
        """The rows, as one pyarrow.Table for each part (their schemas may differ in what is a dictionary)."""
        self._require("arrow")
        tables = []
        for part, data in zip(self.parts, self.slices):
            table = decode_arrow(data, self._what(part))
            if table is not None:
                last = table.num_rows if part.to_record is None else part.to_record
                tables.append(table.slice(part.from_record, last - part.from_record))
        return tables


class RankReader:
    """Reads the steps of one rank in order, each once.

    Assumptions, and what recovers when one fails:

    - ``cursor`` states what was delivered, never what was fetched: a reader that resumes from it goes on with the step after
      the last one returned.
    - An object that is gone may have been replaced by one without some records; the newest manifest is asked once.
    - A step below the trim is a TrimmedError that names the first step still held. It is never skipped.
    - Bytes that fail their checksum are fetched once more, since they may have been damaged on the way; then they are an
      UnreadableStepError.
    - After any error the reader stands where it stood, and can be asked again.

    For one thread at a time. It does not close the stream.
    """

    def __init__(
        self,
        stream: Stream,
        mesh: Mesh | None = None,
        d: int = 0,
        c: int = 0,
        *,
        rank: int | None = None,
        world_size: int | None = None,
        tp: int = 1,
        cp: int = 1,
        pp: int = 1,
        mode: Mode | str = Mode.EXACT,
        start: int | str = "earliest",
        cursor: Cursor | bytes | str | None = None,
        end_step: int | None = None,
        prefetch_bytes: int = 256 << 20,
        threads: int = 8,
        poll_interval: float = 1.0,
        timeout: float = 600.0,
        stride: int = 1,
        offset: int = 0,
    ) -> None:
        """
        :param mesh: with ``d`` and ``c``, of this rank; or else ``rank`` and ``world_size`` with the sizes of TP, CP and PP
        :param start: ``earliest``, ``latest`` or a step
        :param cursor: goes before ``start``
        :param end_step: iteration ends before this step; without one it waits for new steps for ever. Not for mode rows
        :param prefetch_bytes: held or under way at most (one step may exceed it alone; what decompression adds is estimated
            until the table of a section is known)
        :param timeout: of ``next``, in seconds
        :param stride: every n-th consumer step only, beginning with the one after ``offset`` steps
        """
        if mesh is None:
            if rank is None or world_size is None:
                raise LakestreamError("State the mesh with d and c, or rank and world_size.")
            mesh, d, c = layout(rank, world_size, tp, cp, pp)
        self.stream = stream
        self.topology = Topology(Mode.named(mode), Shape.of(stream.slice_format), mesh, d, c)
        if end_step is not None and self.topology.mode is Mode.ROWS:
            raise LakestreamError("end_step goes with the modes exact and batch; in mode rows count the steps.")
        self._walk = Walk(stream, self.topology, stride)
        self._poll_interval, self._timeout = poll_interval, timeout
        self._waits = dict.fromkeys(Stage, 0.0)
        self._unit: Unit | None = None
        self._in_unit = 0
        self._returned_at = time.monotonic()
        self._at, self._cursor = self._resumed(Cursor.of(cursor)) if cursor is not None else self._started(start)
        self._at = self._walk.after(self._at, offset)
        self._prefetcher = Prefetcher(self._walk, prefetch_bytes, threads, poll_interval, end_step)
        self._prefetcher.seek(self._at)

    # Where to begin

    def _started(self, start: int | str) -> tuple[int, Cursor]:
        manifest = self.stream.manifest
        if start == "earliest":
            step = manifest.first_step
        elif start == "latest":
            manifest = self.stream.refresh()
            step = manifest.next_step
        elif isinstance(start, int) and start >= 0:
            step = start
        else:
            raise LakestreamError(f"A reader starts at 'earliest', 'latest' or a step, not at {start!r}.")
        if step > manifest.next_step:
            manifest = self.stream.refresh()
        if step < manifest.first_step:
            raise TrimmedError(str(self.stream), step, manifest.first_step)
        if step > manifest.next_step:
            raise StepBeyondEndError(
                f"Step {step} of {self.stream} does not exist: it ends at step {manifest.next_step} of manifest"
                f" {manifest.version}. At most the next step to be published can be waited for."
            )
        return self._standing(step, None)

    def _resumed(self, cursor: Cursor) -> tuple[int, Cursor]:
        cursor.require_stream(self.stream.id, self.stream.store.address)
        manifest = self.stream.manifest
        if cursor.version > manifest.version or cursor.step > manifest.next_step:
            manifest = self.stream.refresh()
        if cursor.version > manifest.version or cursor.step > manifest.next_step:
            raise ForeignCursorError(
                f"The cursor stands at step {cursor.step} of manifest {cursor.version}, and {self.stream} ends at step"
                f" {manifest.next_step} of manifest {manifest.version}: this copy of the stream is older than the checkpoint."
                " Restore the newer one, or start at a step that it holds."
            )
        if cursor.step < manifest.first_step:
            raise TrimmedError(str(self.stream), cursor.step, manifest.first_step)
        return self._standing(cursor.step, cursor)

    def _standing(self, step: int, cursor: Cursor | None) -> tuple[int, Cursor]:
        manifest, topology = self.stream.manifest, self.topology
        bundle = self.stream.history.bundle_of(manifest, step)
        first_row = bundle.row_of(step) if bundle else manifest.next_row
        row = first_row if cursor is None or cursor.row is None else cursor.row
        if cursor is not None:
            if not first_row <= row < first_row + (bundle.mesh.dp if bundle else 1):
                raise ForeignCursorError(f"The cursor {cursor} states row {row}, which is not of its step in {self.stream}.")
            topology.check_resume(cursor.mesh, step, row, first_row, bundle.mesh if bundle else None)
        at = row if topology.mode is Mode.ROWS else step
        return at, Cursor(self.stream.id, manifest.version, step, row, topology.mesh, topology.mode)

    def seek(self, start: int | str | Cursor) -> None:
        """Goes on elsewhere, forwards or backwards: ``earliest``, ``latest``, a step or a cursor."""
        self._at, self._cursor = self._resumed(start) if isinstance(start, Cursor) else self._started(start)
        self._restart()

    def _restart(self) -> None:
        self._unit = None
        self._prefetcher.seek(self._at)

    # Reading

    def next(self, timeout: float | None = None) -> RankStep:
        """The next step; waits for a producer to publish it. ReadTimeoutError names what was being waited for."""
        limit = self._timeout if timeout is None else timeout
        found = self.poll(limit)
        if found is None:
            raise ReadTimeoutError(
                Stage.NEW_STEP,
                f"No producer has published the step at position {self._at} of {self.stream} within {limit} s (newest manifest:"
                f" {self.stream.manifest.version}, which ends at step {self.stream.manifest.next_step}). Look at the job that"
                " writes the stream; or use poll() where the stream may end.",
            )
        return found

    def poll(self, timeout: float = 0.0) -> RankStep | None:
        """The next step, or None if the stream held no further one when the store was asked last."""
        begin = time.monotonic()
        self._waits[Stage.CONSUMER] += begin - self._returned_at
        try:
            return self._poll(begin, timeout)
        except _Ended:
            return None
        finally:
            self._returned_at = time.monotonic()

    def __iter__(self) -> Iterator[RankStep]:
        """The steps up to ``end_step``."""
        while True:
            begin = time.monotonic()
            self._waits[Stage.CONSUMER] += begin - self._returned_at
            try:
                found = self._poll(begin, self._timeout)
            except _Ended:
                return
            finally:
                self._returned_at = time.monotonic()
            yield found if found is not None else self.next(0.0)

    def _poll(self, begin: float, timeout: float) -> RankStep | None:
        damaged = False
        while True:
            try:
                unit = self._unit or self._await(begin, timeout)
                return self._deliver(unit) if unit is not None else None
            except CorruptObjectError as e:
                self._restart()
                if damaged:
                    raise self._failure(e) from e
                damaged = True  # it may have been damaged on the way: once more
            except (ReadTimeoutError, _Ended):
                raise
            except LakestreamError as e:
                replaced = isinstance(e, StoreError) and e.fault is Fault.MISSING and not damaged
                if replaced:  # perhaps by a bundle without some of its records: once more, by the newest manifest
                    self.stream.refresh()
                self._restart()
                if replaced:
                    damaged = True
                    continue
                raise self._failure(e) from e

    def _await(self, begin: float, timeout: float) -> Unit | None:
        while True:
            now = time.monotonic()
            left = timeout - (now - begin)
            unit, stage, ended = self._prefetcher.wait(max(0.0, left))
            self._waits[stage] += time.monotonic() - now
            if unit is not None:
                self._unit, self._in_unit = unit, 0
                return unit
            if ended:
                raise _Ended
            if left <= 0:
                self._require_none(stage, timeout)
                return None

    def _require_none(self, stage: Stage, timeout: float) -> None:
        """Returns if there is no further step, as far as the store has said lately."""
        manifest = self.stream.manifest
        answered = time.monotonic() - self.stream.answered_at < _STALE_POLLS * self._poll_interval
        if not self._walk.exists(manifest, self._at) and (stage is Stage.NEW_STEP or answered):
            return
        raise ReadTimeoutError(
            stage,
            f"The step at position {self._at} of {self.stream}, slice ({self.topology.d}, {self.topology.c}) of"
            f" {self.topology.mesh}, did not come within {timeout} s, waiting for {stage.awaited}. The reader stands before"
            " that step: ask again to wait on.",
        )

    def _deliver(self, unit: Unit) -> RankStep:
        begin = time.monotonic()
        planned: Planned = unit.steps[self._in_unit]
        found = [unit.slice(part) for part in planned.parts]
        for part, held in zip(planned.parts, found):
            if part.to_record is not None and part.to_record > held.records:
                raise CorruptObjectError(f"Slice ({part.d}, {part.c}) of step {part.step} holds {held.records} records.")
        step = RankStep(
            planned.step, planned.parts, [held.data for held in found], self.stream.slice_format, unit.sections.bundle,
            planned.cursor, self.topology,
        )  # fmt: skip
        self._at, self._cursor = self._walk.next(planned.at), planned.cursor
        self._in_unit += 1
        if self._in_unit == len(unit.steps):
            self._unit = None
            self._prefetcher.release(unit)
        self._waits[Stage.DECODE] += time.monotonic() - begin
        return step

    def _failure(self, e: LakestreamError) -> LakestreamError:
        if isinstance(e, (TrimmedError, MeshMismatchError, MissingModuleError, UnsupportedVersionError)):
            return e
        if isinstance(e, StoreError) and e.fault is Fault.MISSING:
            manifest = self.stream.refresh()
            if self._cursor.step < manifest.first_step:
                return TrimmedError(str(self.stream), self._cursor.step, manifest.first_step)
        return UnreadableStepError(
            self._cursor.step,
            f"Step {self._cursor.step} of {self.stream}, slice ({self.topology.d}, {self.topology.c}) of {self.topology.mesh},"
            f" cannot be read: {e}",
        )

    @property
    def cursor(self) -> Cursor:
        """Where the reader stands: after the newest delivered step. To be kept with the model."""
        return self._cursor

    @property
    def caught_up(self) -> bool:
        """Whether all steps have been delivered that the newest known manifest holds."""
        return not self._walk.exists(self.stream.manifest, self._at)

    @property
    def waits(self) -> dict[Stage, float]:
        """Where this reader's time went since it was opened, in seconds."""
        return dict(self._waits)

    @property
    def held_bytes(self) -> int:
        """What is held or under way."""
        return self._prefetcher.held

    def close(self) -> None:
        """Stops fetching."""
        self._prefetcher.close()

    def __enter__(self) -> "RankReader":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


class _Ended(Exception):
    """The end that was asked for has been reached."""
