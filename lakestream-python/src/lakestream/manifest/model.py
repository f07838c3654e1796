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
"""What manifests and segments state, checked."""

from __future__ import annotations

import dataclasses
import uuid

from lakestream.errors import CorruptObjectError
from lakestream.format import messages
from lakestream.format.frame import uuid_of
from lakestream.mesh import Mesh

MAX_TGBS = 65_536
MAX_FOOTER = 16_777_216
_HEADER, _TRAILER = 8, 16


def mesh_of(message: messages.Mesh | None, what: str) -> Mesh:
    try:
        if message is None:
            raise ValueError("it states no mesh.")
        return Mesh(message.dp, message.cp)
    except ValueError as e:
        raise CorruptObjectError(f"{what} states what cannot be: {e}") from e


@dataclasses.dataclass(frozen=True)
class BundleDescriptor:
    """One bundle at its place in the stream."""

    object: str
    object_length: int
    footer_offset: int
    footer_length: int
    first_step: int
    tgb_count: int
    first_row: int
    mesh: Mesh
    records: int
    raw_bytes: int
    section_stride: int
    producer_id: str = ""
    sequence: int = 0
    attributes: dict[str, str] = dataclasses.field(default_factory=dict)
    version: int = 0
    published_at: int = 0
    redactions: tuple[messages.Redaction, ...] = ()

    def redactions_of(self, step: int) -> list[messages.Redaction]:
        """What was taken out of a step after it was published."""
        return [one for one in self.redactions if one.tgb == step - self.first_step]

    def check(self, what: str) -> None:
        """That the numbers by which the object is read do not contradict each other."""
        sections = self.footer_offset - _HEADER
        if (
            self.footer_length > MAX_FOOTER
            or self.object_length != self.footer_offset + self.footer_length + _TRAILER
            or sections < self.mesh.slices * (16 + 40 * self.tgb_count)
            or (self.section_stride != 0 and self.section_stride * self.mesh.slices != sections)
        ):
            raise CorruptObjectError(f"{what} is described with numbers that contradict each other: {self}.")

    @property
    def next_step(self) -> int:
        return self.first_step + self.tgb_count

    @property
    def next_row(self) -> int:
        return self.first_row + self.tgb_count * self.mesh.dp

    def row_of(self, step: int) -> int:
        """The first row of a step that the bundle holds."""
        return self.first_row + (step - self.first_step) * self.mesh.dp

    @classmethod
    def of(cls, m: messages.BundleDescriptor, what: str, steps: int = 0, rows: int = 0) -> "BundleDescriptor":
        """``steps`` and ``rows`` are added: those of the reference, in a segment."""
        what = f"{what}, where it describes {m.object},"
        mesh = mesh_of(m.mesh, what)
        if not 1 <= m.tgb_count <= MAX_TGBS:
            raise CorruptObjectError(f"{what} states {m.tgb_count} batches.")
        parts = m.object.split("/")
        if len(parts) < 2 or any(part in ("", ".", "..") for part in parts):
            raise CorruptObjectError(f"{what} names an object that cannot be.")
        return cls(
            m.object, m.object_length, m.footer_offset, m.footer_length, m.first_step + steps, m.tgb_count,
            m.first_row + rows, mesh, m.records, m.raw_bytes, m.section_stride, m.producer_id, m.sequence,
            m.attributes, m.version, m.published_at, tuple(m.redactions),
        )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SegmentRef:
    """A sealed run of bundles, and the object that describes them."""

    object: str
    object_length: int
    object_crc: int
    level: int
    first_step: int
    step_count: int
    first_row: int
    row_count: int

    @property
    def next_step(self) -> int:
        return self.first_step + self.step_count

    @property
    def next_row(self) -> int:
        return self.first_row + self.row_count

    @classmethod
    def of(cls, m: messages.SegmentRef) -> "SegmentRef":
        return cls(m.object, m.object_length, m.object_crc, m.level, m.first_step, m.step_count, m.first_row, m.row_count)


@dataclasses.dataclass(frozen=True)
class Manifest:
    """The whole stream at one version, as far as a reader needs it: producers are left out."""

    stream_id: uuid.UUID
    version: int
    commit_id: bytes
    parent_commit_id: bytes
    created_at: int
    first_step: int
    first_row: int
    next_step: int
    next_row: int
    sealed: SegmentRef | None
    tail: tuple[BundleDescriptor, ...]
    dropped: bool = False  # the stream ends here

    @property
    def tail_first_step(self) -> int:
        return self.tail[0].first_step if self.tail else self.next_step

    @classmethod
    def of(cls, m: messages.Manifest, what: str) -> "Manifest":
        return cls(
            uuid_of(m.stream_id, what), m.version, m.commit_id, m.parent_commit_id, m.created_at, m.first_step, m.first_row,
            m.next_step, m.next_row, None if m.sealed is None else SegmentRef.of(m.sealed),
            tuple(BundleDescriptor.of(d, what) for d in m.tail), m.dropped,
        ).checked(what)  # fmt: skip

    def with_delta(self, delta: messages.ManifestDelta, what: str) -> "Manifest":
        """The manifest that the delta makes of this one; whether it is its child is the caller's to check."""
        kept = tuple(b for b in self.tail if b.first_step >= delta.tail_first_step)
        sealed = self.sealed
        if delta.sealed_changed:
            sealed = None if delta.sealed is None else SegmentRef.of(delta.sealed)
        return Manifest(
            self.stream_id, delta.version, delta.commit_id, delta.parent_commit_id, delta.created_at, delta.first_step,
            delta.first_row, delta.next_step, delta.next_row, sealed,
            kept + tuple(BundleDescriptor.of(d, what) for d in delta.appended),
        ).checked(what)  # fmt: skip

    def checked(self, what: str) -> "Manifest":
        """Itself, if it does not contradict itself."""
        step = self.tail_first_step
        row = self.tail[0].first_row if self.tail else self.next_row
        if len(self.commit_id) != 16:
            raise CorruptObjectError(f"{what} has a commit id of {len(self.commit_id)} bytes.")
        if self.sealed is not None:
            if self.sealed.first_step > self.first_step or self.sealed.next_step != step or self.sealed.next_row != row:
                raise CorruptObjectError(f"{what} contradicts itself: its sealed history does not meet its tail.")
        elif step > self.first_step:
            raise CorruptObjectError(f"{what} contradicts itself: steps {self.first_step} to {step} are in no bundle.")
        for bundle in self.tail:
            if bundle.first_step != step or bundle.first_row != row:
                raise CorruptObjectError(f"{what} contradicts itself: there is a hole at step {step}, row {row}.")
            step, row = bundle.next_step, bundle.next_row
        if step != self.next_step or row != self.next_row or self.first_step > self.next_step or self.first_row > self.next_row:
            raise CorruptObjectError(
                f"{what} contradicts itself: trimmed to step {self.first_step}, bundles to step {step}, row {row},"
                f" and an end at step {self.next_step}, row {self.next_row}."
            )
        return self
