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
"""Where a consumer stands: to be kept in a model checkpoint."""

from __future__ import annotations

import dataclasses
import re
import struct
import uuid
from typing import Sequence

from lakestream.consumer.topology import Mode
from lakestream.errors import CorruptObjectError, ForeignCursorError, LakestreamError
from lakestream.format.crc32c import crc32c
from lakestream.format.frame import check_crc, check_header
from lakestream.mesh import Mesh

_MAGIC = b"LKCU"
_LENGTHS = {1: 52, 2: 64}
_UUID = r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_TEXT_1 = re.compile(rf"lakestream-cursor:1:{_UUID}:v([0-9]{{1,19}}):s([0-9]{{1,19}}):([0-9]{{1,10}}x[0-9]{{1,10}}):([0-9a-f]{{8}})")
_TEXT_2 = re.compile(
    rf"lakestream-cursor:2:{_UUID}:v([0-9]{{1,19}}):s([0-9]{{1,19}}):r([0-9]{{1,19}}):([0-9]{{1,10}}x[0-9]{{1,10}})"
    r":(exact|rows|batch):([0-9a-f]{8})"
)


@dataclasses.dataclass(frozen=True)
class Cursor:
    """The same for all ranks of a job, since it names no rank.

    ``version`` is the manifest that the newest delivered step was found in, ``step`` the next one to be read, ``row`` the next
    row: the first one of ``step``, or one inside it in mode rows. None: a cursor of format 1, which stands at the first row.
    """

    stream_id: uuid.UUID
    version: int
    step: int
    row: int | None
    mesh: Mesh
    mode: Mode

    def __post_init__(self) -> None:
        if min(self.version, self.step, self.row or 0) < 0 or max(self.version, self.step, self.row or 0) >= 1 << 63:
            raise ValueError(f"No cursor stands at manifest {self.version}, step {self.step}, row {self.row}.")

    def to_bytes(self) -> bytes:
        """The binary form: 64 bytes."""
        if self.row is None:
            data = struct.pack("<4sI16sQQII", _MAGIC, 1, self.stream_id.bytes, self.version, self.step, self.mesh.dp, self.mesh.cp)
        else:
            data = struct.pack(
                "<4sI16sQQQIII", _MAGIC, 2, self.stream_id.bytes, self.version, self.step, self.row, self.mesh.dp, self.mesh.cp,
                self.mode.value,
            )  # fmt: skip
        return data + struct.pack("<I", crc32c(data))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Cursor":
        what = "A cursor"
        check_header(memoryview(data), _MAGIC, 2, what)
        version = int.from_bytes(data[4:8], "little")
        if len(data) != _LENGTHS[version]:
            raise CorruptObjectError(f"{what} has {_LENGTHS[version]} bytes, not {len(data)}.")
        check_crc(data[:-4], int.from_bytes(data[-4:], "little"), what)
        if version == 1:
            stream, manifest, step, dp, cp = struct.unpack("<16sQQII", data[8:-4])
            return cls._checked(what, stream, manifest, step, None, dp, cp, 0)
        stream, manifest, step, row, dp, cp, mode = struct.unpack("<16sQQQIII", data[8:-4])
        return cls._checked(what, stream, manifest, step, row, dp, cp, mode)

    @classmethod
    def _checked(
        cls, what: str, stream: bytes, version: int, step: int, row: int | None, dp: int, cp: int, mode: int
    ) -> "Cursor":
        try:
            return cls(uuid.UUID(bytes=stream), version, step, row, Mesh(dp, cp), Mode(mode))
        except ValueError as e:
            raise CorruptObjectError(f"{what} states what cannot be: {e}") from e

    def to_text(self) -> str:
        """The text form, on one line."""
        if self.row is None:
            text = f"lakestream-cursor:1:{self.stream_id}:v{self.version}:s{self.step}:{self.mesh}"
        else:
            text = f"lakestream-cursor:2:{self.stream_id}:v{self.version}:s{self.step}:r{self.row}:{self.mesh}:{self.mode}"
        return f"{text}:{crc32c(text.encode()):08x}"

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """The inverse of ``to_text``; blanks around it are passed over."""
        stripped = text.strip()
        what = f'The cursor "{stripped if len(stripped) <= 200 else "…"}"'
        first, second = _TEXT_1.fullmatch(stripped), _TEXT_2.fullmatch(stripped)
        match = first or second
        if match is None:
            raise CorruptObjectError(
                f"{what} is damaged, or of a format version that this package does not read. The form is"
                " lakestream-cursor:2:<UUID>:v<manifest>:s<step>:r<row>:<D>x<C>:<mode>:<checksum>."
            )
        body, _, checksum = stripped.rpartition(":")
        expected = f"{crc32c(body.encode()):08x}"
        if checksum != expected:
            raise CorruptObjectError(f"{what} is damaged: its checksum should be {expected}.")
        try:
            stream, version, step = uuid.UUID(match[1]), int(match[2]), int(match[3])
            if first:
                return cls(stream, version, step, None, Mesh.parse(match[4]), Mode.EXACT)
            return cls(stream, version, step, int(match[4]), Mesh.parse(match[5]), Mode.named(match[6]))
        except ValueError as e:
            raise CorruptObjectError(f"{what} states what cannot be: {e}") from e

    @classmethod
    def of(cls, cursor: "Cursor | bytes | str") -> "Cursor":
        """Whatever form it was kept in."""
        if isinstance(cursor, Cursor):
            return cursor
        return cls.parse(cursor) if isinstance(cursor, str) else cls.from_bytes(bytes(cursor))

    @staticmethod
    def agreed(cursors: "Sequence[Cursor | None]") -> "Cursor":
        """That of a job, from those of its ranks: all must be there and stand at one place.

        Only the manifest version may differ, which says where a rank found its newest step; the lowest is taken.
        """
        first = cursors[0] if cursors else None
        for rank, cursor in enumerate(cursors):
            if first is None or cursor is None or dataclasses.replace(cursor, version=first.version) != first:
                raise LakestreamError(
                    f"The cursors of several ranks do not stand at one place: that of rank 0 is {first or 'missing'}, that of"
                    f" rank {rank} is {cursor or 'missing'}. Take all of them after the same optimiser step."
                )
        if first is None:
            raise LakestreamError("There is no cursor to resume from.")
        return min((cursor for cursor in cursors if cursor is not None), key=lambda cursor: cursor.version)

    def require_stream(self, stream_id: uuid.UUID, address: str) -> None:
        if self.stream_id != stream_id:
            raise ForeignCursorError(
                f"The cursor is of stream {self.stream_id}, and {address} holds stream {stream_id}. Open the stream that the"
                " checkpoint was trained on, or begin at a step of this one."
            )

    def __str__(self) -> str:
        return self.to_text()
