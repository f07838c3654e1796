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
"""Which bytes a rank reads: the pure functions of docs/topology.md, the same as in Java."""

from __future__ import annotations

import enum
from typing import Callable, NamedTuple

from lakestream.errors import LakestreamError, MeshMismatchError
from lakestream.mesh import Mesh


class Mode(enum.Enum):
    """What a consumer step is; the value is its number in a cursor."""

    EXACT = 0  # a step of the stream, for the mesh that it was written for
    ROWS = 1  # D' rows of the stream
    BATCH = 2  # a step of the stream, its records split over D'

    @classmethod
    def named(cls, name: "str | Mode") -> "Mode":
        if isinstance(name, Mode):
            return name
        try:
            return cls[name.upper()]
        except KeyError:
            raise ValueError(f"'{name}' is not a mode: exact, rows or batch.") from None

    def __str__(self) -> str:
        return self.name.lower()


class Shape(enum.Enum):
    """What topology needs to know of a slice format."""

    OPAQUE = "opaque"  # bytes without known boundaries
    FLAT = "flat"  # records; the chunks of a replica hold different ones
    CHUNKED = "chunked"  # the chunks of a replica hold pieces of the same sequences

    @classmethod
    def of(cls, slice_format: str) -> "Shape":
        return {"records": cls.FLAT, "arrow": cls.FLAT, "tokens": cls.CHUNKED}.get(slice_format, cls.OPAQUE)


class Refusal(enum.Enum):
    """Why a combination cannot be read."""

    MESH_DIFFERS = "mesh_differs"
    CHUNKS_DO_NOT_DIVIDE = "chunks_do_not_divide"
    SEQUENCE_DOES_NOT_DIVIDE = "sequence_does_not_divide"
    NEEDS_RECORDS = "needs_records"
    CHUNKS_DIFFER = "chunks_differ"
    INSIDE_A_STEP = "inside_a_step"


class RefusedError(MeshMismatchError):
    """A mesh, mode, slice format or cursor that do not go together; ``refusal`` says why."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.refusal = refusal


class Part(NamedTuple):
    """Some of one slice; an end of None is the slice's, and columns of None are all columns."""

    step: int
    d: int
    c: int
    from_record: int = 0
    to_record: int | None = None
    from_column: int | None = None
    to_column: int | None = None


def begin(n: int, i: int, of: int) -> int:
    """Where share ``i`` of ``n`` things begins."""
    return n * i // of


def place_of_row(first_step: int, first_row: int, mesh: Mesh, row: int) -> tuple[int, int]:
    """The step and the replica that a row of a bundle was written for."""
    return first_step + (row - first_row) // mesh.dp, (row - first_row) % mesh.dp


Counts = Callable[[int, int], int]


class Topology:
    """How rank (d, c) of a mesh reads."""

    def __init__(self, mode: Mode, shape: Shape, mesh: Mesh, d: int, c: int) -> None:
        mesh.index(d, c)
        self.mode, self.shape, self.mesh, self.d, self.c = mode, shape, mesh, d, c

    def check(self, written: Mesh) -> None:
        """Refuses what cannot be read, whatever the slices hold."""
        if self.is_own(written):
            return
        if self.mode is Mode.EXACT:
            raise self._refused(
                Refusal.MESH_DIFFERS,
                written,
                "Start as many DP and CP ranks as it was written for, or choose a mode: 'rows' (the global batch grows and"
                " shrinks with the DP ranks) or 'batch' (it stays what it is, and its records are split over them).",
            )
        if self.shape is Shape.OPAQUE and (self.mode is Mode.BATCH or self._split(written)):
            raise self._refused(
                Refusal.NEEDS_RECORDS,
                written,
                "The slice format does not say where records begin. Read with mode 'rows' and a CP size that divides"
                f" {written.cp}, or write the stream in a format with records.",
            )
        if (self.mode is Mode.ROWS or self.shape is Shape.CHUNKED) and not (self._joined(written) or self._split(written)):
            raise self._refused(
                Refusal.CHUNKS_DO_NOT_DIVIDE,
                written,
                f"Of the CP sizes {written.cp} and {self.mesh.cp} neither divides the other: choose a divisor or a multiple"
                f" of {written.cp}.",
            )

    def _refused(self, refusal: Refusal, written: Mesh, why: str) -> RefusedError:
        return RefusedError(
            refusal,
            f"Written for a mesh of {written}, and this rank reads slice ({self.d}, {self.c}) of {self.mesh} in mode"
            f" '{self.mode}'. {why}",
        )

    def is_own(self, written: Mesh) -> bool:
        """Whether each rank gets its own slice, whole."""
        return self.mode is not Mode.ROWS and written == self.mesh

    def _joined(self, written: Mesh) -> bool:
        return written.cp % self.mesh.cp == 0

    def _split(self, written: Mesh) -> bool:
        return self.mesh.cp > written.cp and self.mesh.cp % written.cp == 0

    def chunks(self, written: Mesh) -> range:
        """The chunks of a replica that this rank's part of one row lies in."""
        self.check(written)
        if self._joined(written):
            m = written.cp // self.mesh.cp
            return range(self.c * m, self.c * m + m)
        chunk = self.c // (self.mesh.cp // written.cp)
        return range(chunk, chunk + 1)

    def needs_counts(self, written: Mesh) -> bool:
        """Whether parts can only be told once all slices have said how many records they hold."""
        return self.mode is Mode.BATCH and not self.is_own(written)

    def of_row(self, step: int, row: int, written: Mesh, counts: Counts) -> list[Part]:
        """What the rank takes of the row that was written for replica ``row`` of a step; columns are not cut yet."""
        parts = []
        for chunk in self.chunks(written):
            if self.shape is Shape.FLAT and self._split(written):
                m = self.mesh.cp // written.cp
                p, n = self.c % m, counts(row, chunk)
                parts.append(Part(step, row, chunk, begin(n, p, m), begin(n, p + 1, m)))
            else:
                parts.append(Part(step, row, chunk))
        return parts

    def of_step(self, step: int, written: Mesh, counts: Counts) -> list[Part]:
        """What the rank takes of a step, in modes exact and batch; columns are not cut yet."""
        self.check(written)
        if self.is_own(written):
            return [Part(step, self.d, self.c)]
        if self.shape is Shape.CHUNKED:
            held = [self._sequences(replica, written, counts) for replica in range(written.dp)]
            low, high = self._share(sum(held), self.d, self.mesh.dp)
            chunks = self.chunks(written)
            return [
                Part(step, replica, chunk, first, last)
                for replica, first, last in _cut(held, low, high)
                for chunk in chunks
            ]
        held = [counts(r // written.cp, r % written.cp) for r in range(written.slices)]
        low, high = self._share(sum(held), self.d, self.mesh.dp)
        from_chunk, to_chunk = self._share(high - low, self.c, self.mesh.cp)
        return [
            Part(step, r // written.cp, r % written.cp, first, last)
            for r, first, last in _cut(held, low + from_chunk, low + to_chunk)
        ]

    @staticmethod
    def _share(n: int, i: int, of: int) -> tuple[int, int]:
        return begin(n, i, of), begin(n, i + 1, of)

    def _sequences(self, replica: int, written: Mesh, counts: Counts) -> int:
        held = counts(replica, 0)
        for chunk in range(1, written.cp):
            if counts(replica, chunk) != held:
                raise self._refused(
                    Refusal.CHUNKS_DIFFER,
                    written,
                    f"Chunk 0 of replica {replica} holds {held} sequences and chunk {chunk} holds {counts(replica, chunk)}:"
                    " the batch is damaged, or its format is not what the stream says.",
                )
        return held

    def cuts_columns(self, written: Mesh) -> bool:
        """Whether the rank takes only some columns of each sequence."""
        return self.shape is Shape.CHUNKED and not self.is_own(written) and self._split(written)

    def cut_columns(self, parts: list[Part], written: Mesh, sequence_length: int) -> list[Part]:
        """The parts with the columns that the rank takes, where a chunk is cut; otherwise as they are."""
        if not self.cuts_columns(written):
            return parts
        if sequence_length % self.mesh.cp:
            raise self._refused(
                Refusal.SEQUENCE_DOES_NOT_DIVIDE,
                written,
                f"A sequence of {sequence_length} tokens cannot be cut into {self.mesh.cp} equal chunks: choose a CP size that"
                " divides it.",
            )
        width = sequence_length // self.mesh.cp
        first = self.c % (self.mesh.cp // written.cp) * width
        return [part._replace(from_column=first, to_column=first + width) for part in parts]

    def check_resume(self, saved: Mesh, step: int, row: int, first_row: int, written: Mesh | None) -> None:
        """Refuses a cursor that this topology cannot go on from; ``written`` is the mesh of the cursor's step."""
        if self.mode is Mode.EXACT and saved != self.mesh:
            raise RefusedError(
                Refusal.MESH_DIFFERS,
                f"The cursor was taken with a mesh of {saved} ({saved.slices} DP x CP ranks), and this rank reads slice"
                f" ({self.d}, {self.c}) of {self.mesh} ({self.mesh.slices} ranks) in mode 'exact'. Resume with as many DP and"
                " CP ranks as the cursor was taken with, or choose a mode: 'rows' (the global batch grows and shrinks with the"
                " DP ranks) or 'batch' (it stays what it is, and its records are split over them).",
            )
        if self.mode is not Mode.ROWS and row != first_row:
            last = first_row + written.dp if written else row
            raise RefusedError(
                Refusal.INSIDE_A_STEP,
                f"The cursor was taken in mode 'rows' with a mesh of {saved} and stands at row {row}, inside step {step} (rows"
                f" {first_row} to {last - 1}): mode '{self.mode}' reads whole steps. Go on in mode 'rows'; with {last - row} DP"
                " ranks, or a divisor of that, it comes to the end of the step.",
            )


def _cut(held: list[int], low: int, high: int) -> list[tuple[int, int, int]]:
    """Of pieces of these sizes, laid in a row, those that [low, high) meets, and from where to where."""
    found, at = [], 0
    for i, size in enumerate(held):
        first, last = max(low - at, 0), min(high - at, size)
        if first < last:
            found.append((i, first, last))
        at += size
    return found


def layout(rank: int, world_size: int, tp: int = 1, cp: int = 1, pp: int = 1) -> tuple[Mesh, int, int]:
    """The mesh and (d, c) of a global rank, where TP runs fastest, then CP, DP and PP, as Megatron lays them out."""
    share = tp * cp * pp
    if min(tp, cp, pp, world_size) < 1 or world_size % share:
        raise LakestreamError(
            f"A world of {world_size} ranks cannot be divided by TP x CP x PP = {tp} x {cp} x {pp}. The number of ranks must be a"
            " multiple of the product."
        )
    if not 0 <= rank < world_size:
        raise LakestreamError(f"There is no rank {rank} in a world of {world_size} ranks.")
    mesh = Mesh(world_size // share, cp)
    return mesh, rank // (tp * cp) % mesh.dp, rank // tp % cp
