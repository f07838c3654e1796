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
from lakestream.errors import CorruptObjectError, Fault, LakestreamError, StoreError
from lakestream.format import messages
from lakestream.format.frame import decode_frame, encode_frame, uuid_of
from lakestream.manifest.model import mesh_of
from lakestream.mesh import Mesh
from lakestream.stream import Stream

_MAGIC = b"LKSW"
_RANK = 1
_MAX_LENGTH = 64 * 1024


@dataclasses.dataclass(frozen=True)
class Watermark:
    """A member's word that it may still ask for ``step`` and everything after it."""

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

    def __post_init__(self) -> None:
        require_group(self.group)
        if self.world_size < 1 or not 0 <= self.rank < self.world_size:
            raise LakestreamError(f'There is no rank {self.rank} in group "{self.group}", which has {self.world_size} members.')
        if min(self.generation, self.version, self.step) < 0:
            raise LakestreamError(f"A watermark states numbers below 0: {self}.")


def require_group(group: str) -> str:
    """The name itself, if it can be part of a key in every store."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,128}", group) or group in (".", ".."):
        raise LakestreamError(f'"{group}" cannot be the name of a group: 1 to 128 letters, digits, ".", "_" and "-".')
    return group


def _key(group: str, rank: int) -> str:
    return f"watermark/{require_group(group)}/{rank}"


def write_watermark(
    stream: Stream, group: str, rank: int, world_size: int, cursor: Cursor, *, generation: int = 0
) -> Watermark:
    """Records, in place of the member's last watermark, that it may still go back to ``cursor``, and no further.

    To be called when a model checkpoint is durable, with the cursor of the *oldest* checkpoint that is kept. ``generation``
    grows each time the job starts with another number of ranks, so that ranks that are no more hold nothing back.
    """
    cursor.require_stream(stream.id, stream.store.address)
    watermark = Watermark(
        stream.id, group, rank, world_size, generation, cursor.version, cursor.step, cursor.mesh, int(time.time() * 1000)
    )
    stream.store.put(_key(group, rank), encode_watermark(watermark))
    return watermark


def encode_watermark(w: Watermark) -> bytes:
    mesh = messages.Mesh(dp=w.mesh.dp, cp=w.mesh.cp) if w.mesh else None
    return encode_frame(
        _MAGIC,
        1,
        messages.WatermarkObject(
            stream_id=w.stream_id.bytes, group=w.group, rank=w.rank, world_size=w.world_size, generation=w.generation,
            version=w.version, step=w.step, mesh=mesh, updated_at=w.updated_at, kind=w.kind,
        ),
    )  # fmt: skip


def read_watermark(stream: Stream, group: str, rank: int) -> Watermark | None:
    """The member's last one; None if it has recorded none."""
    key = _key(group, rank)
    what = f"The watermark {stream.store.address}/{key}"
    try:
        data, _ = stream.store.read_suffix(key, _MAX_LENGTH)
    except StoreError as e:
        if e.fault is Fault.MISSING:
            return None
        raise
    m = decode_frame(data, _MAGIC, 1, messages.WatermarkObject, what)
    found = Watermark(
        uuid_of(m.stream_id, what), m.group, m.rank, m.world_size, m.generation, m.version, m.step,
        mesh_of(m.mesh, what) if m.mesh else None, m.updated_at, m.kind,
    )  # fmt: skip
    if found.stream_id != stream.id or (found.group, found.rank) != (group, rank):
        raise CorruptObjectError(f"{what} is of another stream, group or rank: {found}.")
    return found


def group_watermarks(stream: Stream, group: str) -> list[Watermark]:
    """Those of the group's newest generation, by rank."""
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
    newest = max((w.generation for w in found), default=0)
    return sorted((w for w in found if w.generation == newest), key=lambda w: w.rank)
