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
"""Watermarks: where the members of a group of consumers stand, for reclamation to leave what they may still ask for."""

from __future__ import annotations

import dataclasses
import re
import time
import uuid

from lakestream.consumer.cursor import Cursor
from lakestream.errors import CorruptObjectError, Fault, GroupTakenError, LakestreamError, StoreError, SupersededError, TrimmedError
from lakestream.format import messages
from lakestream.format.frame import decode_frame, encode_frame, uuid_of
from lakestream.manifest.model import mesh_of
from lakestream.mesh import Mesh
from lakestream.stream import Stream

MAX_KEPT = 1024
_MAGIC = b"LKSW"
_RANK, _FLINK_SOURCE = 1, 2
_MAX_LENGTH = 64 * 1024


@dataclasses.dataclass(frozen=True)
class Kept:
    """Where a checkpoint stands that can be restored."""

    version: int
    step: int


@dataclasses.dataclass(frozen=True)
class Watermark:
    """A member's word that it may still ask for ``step`` and everything after it.

    ``kept``: the checkpoints it may go back to. ``settled``: a generation up to its own that was complete once, so that those
    below hold nothing.
    """

    stream_id: uuid.UUID
    group: str
    rank: int
    world_size: int
    generation: int
    version: int
    step: int
    mesh: Mesh | None = None
    updated_at: int = 0
    kind: int = _RANK
    kept: tuple[Kept, ...] = ()
    settled: int = 0

    def __post_init__(self) -> None:
        require_group(self.group)
        if self.world_size < 1 or not 0 <= self.rank < self.world_size:
            raise LakestreamError(f'There is no rank {self.rank} in group "{self.group}", which has {self.world_size} members.')
        if min(self.generation, self.version, self.step) < 0:
            raise LakestreamError(f"A watermark states numbers below 0: {self}.")
        if not 0 <= self.settled <= self.generation:
            raise LakestreamError(f"A member of generation {self.generation} cannot know of {self.settled}.")
        steps = [self.step, *(one.step for one in self.kept)]
        if len(self.kept) > MAX_KEPT or steps != sorted(steps):
            raise LakestreamError(f"A member keeps at most {MAX_KEPT} checkpoints, in step order from its watermark on: {self}.")

    def restorable(self) -> tuple[Kept, ...]:
        """What the member may go back to: at least where it stands."""
        return self.kept or (Kept(self.version, self.step),)


def require_group(group: str) -> str:
    """The name itself, if it can be part of a key in every store."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,128}", group) or group in (".", ".."):
        raise LakestreamError(f'"{group}" cannot be the name of a group: 1 to 128 letters, digits, ".", "_" and "-".')
    return group


def _key(group: str, rank: int) -> str:
    return f"watermark/{require_group(group)}/{rank}"


def encode_watermark(w: Watermark) -> bytes:
    mesh = messages.Mesh(dp=w.mesh.dp, cp=w.mesh.cp) if w.mesh else None
    return encode_frame(
        _MAGIC,
        1,
        messages.WatermarkObject(
            stream_id=w.stream_id.bytes, group=w.group, rank=w.rank, world_size=w.world_size, generation=w.generation,
            version=w.version, step=w.step, mesh=mesh, updated_at=w.updated_at, kind=w.kind,
            kept=[messages.KeptCursor(version=one.version, step=one.step) for one in w.kept], settled_generation=w.settled,
        ),
    )  # fmt: skip


def decode_watermark(data: bytes | memoryview, what: str) -> Watermark:
    m = decode_frame(data, _MAGIC, 1, messages.WatermarkObject, what)
    try:
        return Watermark(
            uuid_of(m.stream_id, what), m.group, m.rank, m.world_size, m.generation, m.version, m.step,
            mesh_of(m.mesh, what) if m.mesh else None, m.updated_at, m.kind, tuple(Kept(k.version, k.step) for k in m.kept),
            m.settled_generation,
        )  # fmt: skip
    except CorruptObjectError:
        raise
    except LakestreamError as e:
        raise CorruptObjectError(f"{what} states what cannot be: {e}") from e


def read_watermark(stream: Stream, group: str, rank: int) -> Watermark | None:
    """The member's last one; None if it has recorded none."""
    key = _key(group, rank)
    what = f"The watermark {stream.store.address}/{key}"
    try:
        data, length = stream.store.read_suffix(key, _MAX_LENGTH)
    except StoreError as e:
        if e.fault is Fault.MISSING:
            return None
        raise
    if length > len(data):
        raise CorruptObjectError(f"{what} is no watermark: it has {length} bytes.")
    found = decode_watermark(data, what)
    if found.stream_id != stream.id or (found.group, found.rank) != (group, rank):
        raise CorruptObjectError(f"{what} is of another stream, group or rank: {found}.")
    return found


def group_watermarks(stream: Stream, group: str) -> list[Watermark]:
    """Those of the group's members that hold history (docs/format.md, "Watermark"), by rank."""
    return _holding(_members(stream, group))


def _members(stream: Stream, group: str) -> list[Watermark]:
    """Those of all ranks and generations, by rank."""
    prefix, last, more = f"watermark/{require_group(group)}/", "", True
    found: list[Watermark] = []
    while more:
        page = stream.store.list(prefix, last, 1000)
        for key in page.keys:
            last = key
            rank = key[len(prefix) :]
            if re.fullmatch(r"0|[1-9][0-9]{0,9}", rank):
                watermark = read_watermark(stream, group, int(rank))
                if watermark is not None:
                    found.append(watermark)
        more = page.truncated and bool(page.keys)
    return sorted(found, key=lambda w: w.rank)


def _holding(members: list[Watermark]) -> list[Watermark]:
    settled = _settled(members)
    return [member for member in members if member.generation >= settled]


def _settled(members: list[Watermark]) -> int:
    """The newest generation whose members have all recorded, now or once; 0: none is known."""
    ranks: dict[int, set[int]] = {}
    worlds: dict[int, int] = {}
    for member in members:
        ranks.setdefault(member.generation, set()).add(member.rank)
        worlds[member.generation] = max(worlds.get(member.generation, 0), member.world_size)
    complete = [generation for generation, found in ranks.items() if len(found) >= worlds[generation]]
    return max([0, *complete, *(member.settled for member in members)])


class WatermarkRecorder:
    """Records where one rank of a training job stands, after each model checkpoint.

    Assumptions, and what recovers when one fails:

    - A rank is one process at a time. One that was left over from an older generation finds the newer one recorded, and is
      refused (SupersededError).
    - What is kept is in the watermark itself, so that a restart knows it. A new generation inherits it from the one before.
    - A write that is lost leaves an older watermark, which holds history longer; the next checkpoint records again.
    - Nobody else records under the group's name. A Flink source that does is not overwritten: GroupTakenError. Of a rank and a
      source that begin at once, both look again after their first record. What remains: this package has no conditional create, so a
      rank 0 that wrote between the two requests of a source's first record may be found by the source alone, which then stops.
    - Between the choice of where to start and ``register`` the start may be reclaimed: ``register`` looks after it has recorded.
    """

    def __init__(self, stream: Stream, group: str, rank: int, world_size: int, *, generation: int = 0, keep: int = 1) -> None:
        """
        :param generation: more than that of any earlier number of ranks; the same for a restart with the same number
        :param keep: so many of the newest checkpoints stay restorable
        """
        if not 1 <= keep <= MAX_KEPT:
            raise LakestreamError(f"A rank keeps 1 to {MAX_KEPT} checkpoints, not {keep}.")
        self._stream, self._group, self._rank, self._world_size = stream, require_group(group), rank, world_size
        self._generation, self._keep = generation, keep
        self._kept: list[Kept] | None = None
        self._settled = 0
        self._alone = False

    def register(self, start: Cursor) -> Watermark:
        """To be called before anything is read: holds the stream from ``start`` on, and what older kept checkpoints need."""
        self._require_held(start)
        recorded = self.record(start)
        self._require_held(start)
        return recorded

    def _require_held(self, start: Cursor) -> None:
        first = self._stream.refresh().first_step
        if start.step < first:
            raise TrimmedError(str(self._stream), start.step, first)

    def record(self, checkpoint: Cursor) -> Watermark:
        """To be called after a model checkpoint is complete, with the cursor that is in it."""
        checkpoint.require_stream(self._stream.id, self._stream.store.address)
        mine = self._current()
        if self._kept is None:
            members = _members(self._stream, self._group)
            for member in members:
                self._require_rank(member)
            self._settled = min(self._generation, _settled(members))
            self._kept = self._remembered(mine, members)
        now = [one for one in self._kept if one.step < checkpoint.step] + [Kept(checkpoint.version, checkpoint.step)]
        now = now[-self._keep :]
        recorded = Watermark(
            self._stream.id, self._group, self._rank, self._world_size, self._generation, now[0].version, now[0].step,
            checkpoint.mesh, int(time.time() * 1000), _RANK, tuple(now),
            self._settled,
        )  # fmt: skip
        self._stream.store.put(_key(self._group, self._rank), encode_watermark(recorded))
        if not self._alone:
            self._require_rank(read_watermark(self._stream, self._group, 0))
            self._alone = True
        self._kept = now
        return recorded

    def _current(self) -> Watermark | None:
        stored = read_watermark(self._stream, self._group, self._rank)
        self._require_rank(stored)
        me = f'Rank {self._rank} of group "{self._group}", generation {self._generation}, of {self._stream}'
        if stored is not None and stored.generation > self._generation:
            raise SupersededError(
                f"{me} is left over: another process has recorded as this rank in generation {stored.generation}. Stop this one;"
                " or, if it is the newer one, start it with a higher generation."
            )
        if stored is not None and stored.generation == self._generation and stored.world_size != self._world_size:
            raise SupersededError(
                f"{me} is one of {self._world_size}, and has been recorded as one of {stored.world_size} in the same generation."
                " Start a world of another size with a higher generation."
            )
        return stored

    def _require_rank(self, member: Watermark | None) -> None:
        if member is not None and member.kind == _FLINK_SOURCE:
            raise GroupTakenError(
                f'Group "{self._group}" of {self._stream} is that of a Flink source (FLINK_SOURCE), which has recorded step'
                f" {member.step}: a training job (RANK) does not record under its name, since that would let history go that the"
                " group may still need. Choose another name; or, if nobody goes back to what the group keeps, drop it first:"
                f" lakestream watermarks PATH --drop {self._group}."
            )

    def _remembered(self, mine: Watermark | None, members: list[Watermark]) -> list[Kept]:
        """What was kept before this process, as far as it is still there."""
        own = mine is not None and mine.generation == self._generation
        sources = [mine] if own and mine is not None else _holding(members)
        first = self._stream.manifest.first_step
        by_step = {one.step: one for source in sources for one in source.restorable() if one.step >= first}
        return [by_step[step] for step in sorted(by_step)]
