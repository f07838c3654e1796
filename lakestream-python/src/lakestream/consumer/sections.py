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
"""One bundle as ranks read it: where sections lie, their tables, ranges of slices."""

from __future__ import annotations

import itertools
import threading
import uuid
from typing import Iterator, NamedTuple

from lakestream.errors import CorruptObjectError
from lakestream.format.bundle import (
    HEADER_LENGTH,
    TRAILER_LENGTH,
    Entry,
    aligned,
    decode_footer,
    decode_slice,
    decode_table,
    table_length,
)
from lakestream.format.frame import uuid_of
from lakestream.manifest.model import BundleDescriptor, mesh_of
from lakestream.store import ObjectStore

# What is read in vain between two slices costs less than another request.
_GAP = 128 * 1024


class Slice(NamedTuple):
    """A verified slice, and how many records it holds."""

    data: memoryview
    records: int


class SliceRange(NamedTuple):
    """Neighbouring slices (d, c) that one request reads; ``offset`` is from the start of the section."""

    d: int
    c: int
    offset: int
    length: int
    tgbs: tuple[int, ...]


class BundleSections:
    """Thread-safe; each footer and table is read once."""

    def __init__(self, store: ObjectStore, stream_id: uuid.UUID, bundle: BundleDescriptor) -> None:
        self.bundle = bundle
        self._store = store
        self._stream_id = stream_id
        self._what = f"{bundle.object} in {store.address}"
        self._lock = threading.Lock()
        self._offsets: list[int] | None = None
        self._uniform: list[int] = []
        self._tables: dict[tuple[int, int], list[Entry]] = {}

    def place(self, d: int, c: int) -> tuple[int, int]:
        """Offset and length of the section of slice (d, c): by the stride, or else by the footer."""
        self.bundle.check(self._what)
        r = self.bundle.mesh.index(d, c)
        stride = self.bundle.section_stride
        if stride:
            return HEADER_LENGTH + r * stride, stride
        offsets = self._footer()
        return offsets[r], offsets[r + 1] - offsets[r]

    def _footer(self) -> list[int]:
        with self._lock:
            if self._offsets is None:
                self._offsets = self._read_footer()
            return self._offsets

    def read_ahead(self) -> None:
        """Reads the footer. A failure is met again by whoever needs it."""
        self._footer()

    def uniform_records(self) -> list[int] | None:
        """For each TGB how many records each of its slices holds, by the footer; None: that is not told for all of them."""
        self._footer()
        return self._uniform if all(self._uniform) else None

    def _read_footer(self) -> list[int]:
        b = self.bundle
        b.check(self._what)
        data = self._store.read(b.object, b.footer_offset, b.footer_length + TRAILER_LENGTH)
        footer = decode_footer(data, b.footer_length, self._what)
        offsets = list(itertools.accumulate(footer.section_lengths, initial=HEADER_LENGTH))
        if (
            uuid_of(footer.stream_id, self._what) != self._stream_id
            or mesh_of(footer.mesh, self._what) != b.mesh
            or footer.tgb_count != b.tgb_count
            or len(offsets) != b.mesh.slices + 1
            or offsets[-1] != b.footer_offset
            or len(footer.tgbs) != b.tgb_count
            or any(length < table_length(b.tgb_count) or length % 8 for length in footer.section_lengths)
        ):
            raise CorruptObjectError(f"The footer of {self._what} is of another stream, or does not fit its description.")
        self._uniform = [tgb.uniform_slice_records for tgb in footer.tgbs]
        for tgb in footer.tgbs:
            if tgb.uniform_slice_records not in (0, tgb.records / b.mesh.slices):
                raise CorruptObjectError(f"The footer of {self._what} states counts of records that contradict each other.")
        return offsets

    def known_table(self, d: int, c: int) -> list[Entry] | None:
        return self._tables.get((d, c))

    def table(self, d: int, c: int) -> list[Entry]:
        found = self._tables.get((d, c))
        if found is None:
            offset, length = self.place(d, c)
            data = self._store.read(self.bundle.object, offset, table_length(self.bundle.tgb_count))
            found = self._decode_table(data, d, c, length)
        return found

    def _decode_table(self, data: memoryview, d: int, c: int, length: int) -> list[Entry]:
        found = decode_table(data, d, c, self.bundle.tgb_count, length, self._name(d, c))
        self._tables[(d, c)] = found
        return found

    def _name(self, d: int, c: int) -> str:
        return f"section ({d}, {c}) of {self._what}"

    def ranges(self, d: int, c: int, tgbs: list[int]) -> Iterator[SliceRange]:
        """What to request for these slices, by the table, which must be known."""
        table = self._tables[(d, c)]
        wanted = [k for k in tgbs if table[k].stored]
        while wanted:
            first = wanted[0]
            end, taken = table[first].offset, 0
            for k in wanted:
                if taken and table[k].offset - end > _GAP:
                    break
                end, taken = aligned(table[k].offset + table[k].stored), taken + 1
            yield SliceRange(d, c, table[first].offset, end - table[first].offset, tuple(wanted[:taken]))
            wanted = wanted[taken:]

    def read_section(self, d: int, c: int) -> memoryview:
        offset, length = self.place(d, c)
        data = self._store.read(self.bundle.object, offset, length)
        self._decode_table(data, d, c, length)
        return data

    def read_range(self, wanted: SliceRange) -> memoryview:
        offset, _ = self.place(wanted.d, wanted.c)
        return self._store.read(self.bundle.object, offset + wanted.offset, wanted.length)

    def slice(self, d: int, c: int, tgb: int, data: memoryview, data_offset: int) -> Slice:
        """A slice out of ``data``, which was read from ``data_offset`` of the section; verified and decompressed."""
        entry = self._tables[(d, c)][tgb]
        at = entry.offset - data_offset
        what = f"The slice of step {self.bundle.first_step + tgb} in {self._name(d, c)}"
        return Slice(decode_slice(data[at : at + entry.stored], entry, what), entry.records)

    def empty_slice(self, d: int, c: int, tgb: int) -> Slice:
        return Slice(memoryview(b""), self._tables[(d, c)][tgb].records)
