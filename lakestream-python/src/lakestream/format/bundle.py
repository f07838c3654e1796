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
"""Bundles: the footer, the table of a section, and slices."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from lakestream.errors import CorruptObjectError
from lakestream.format import compression, messages
from lakestream.format.frame import check_crc, check_magic, check_version
from lakestream.format.wire import decode

MAGIC = b"LKSB"
VERSION = 1
HEADER_LENGTH = 8
TRAILER_LENGTH = 16
MAX_SLICE = 2_147_482_623
_ENTRY = np.dtype(
    [("offset", "<u8"), ("stored", "<u8"), ("raw", "<u8"), ("records", "<u4"), ("crc", "<u4"), ("compression", "u1"), ("zero", "V7")]
)


def aligned(length: int) -> int:
    return (length + 7) & ~7


def table_length(tgbs: int) -> int:
    """What the table of a section of so many TGBs takes."""
    return 16 + 40 * tgbs


def decode_footer(data: memoryview, footer_length: int, what: str) -> messages.BundleFooter:
    """``data``: the footer and the trailer behind it."""
    length, crc, version = struct.unpack("<III", data[-16:-4])
    check_magic(bytes(data[-4:]), MAGIC, what)
    check_version(version, VERSION, what)
    if length != footer_length:
        raise CorruptObjectError(f"{what} has a footer of {length} bytes and was described with one of {footer_length}.")
    check_crc(data[:-TRAILER_LENGTH], crc, f"The footer of {what}")
    return decode(messages.BundleFooter, data[:-TRAILER_LENGTH], what)


class Entry(NamedTuple):
    """One slice in its section."""

    offset: int
    stored: int
    raw: int
    records: int
    crc: int
    compression: int


def decode_table(data: memoryview, d: int, c: int, tgbs: int, length: int, what: str) -> list[Entry]:
    """The entries of the section of slice (d, c), which has ``length`` bytes and begins where ``data`` does."""
    crc, *found = struct.unpack("<IIII", data[:16])
    if found != [d, c, tgbs]:
        raise CorruptObjectError(
            f"{what} is damaged or not where it was described: it states slice ({found[0]}, {found[1]}) of {found[2]}"
            f" batches and should be slice ({d}, {c}) of {tgbs}."
        )
    end = table_length(tgbs)
    check_crc(data[4:end], crc, f"The table of {what}")
    entries = [Entry(*row[:6]) for row in np.frombuffer(data, _ENTRY, tgbs, 16).tolist()]
    for k, entry in enumerate(entries):
        if entry.offset != end or not _possible(entry, length):
            raise CorruptObjectError(f"{what} of {length} bytes has an impossible entry for batch {k}, after byte {end}: {entry}.")
        end = aligned(entry.offset + entry.stored)
    if end != length:
        raise CorruptObjectError(f"{what} has {length} bytes, and slices up to {end}.")
    return entries


def _possible(entry: Entry, length: int) -> bool:
    compressed = entry.compression != compression.NONE
    return (
        entry.stored <= min(MAX_SLICE, length - entry.offset)
        and entry.stored <= entry.raw <= MAX_SLICE
        and (entry.stored > 0 if compressed else entry.raw == entry.stored)
    )


def decode_slice(stored: memoryview, entry: Entry, what: str) -> memoryview:
    """The bytes of a slice, verified and decompressed; a view of ``stored`` where it is not compressed."""
    check_crc(stored, entry.crc, what)
    if entry.compression == compression.NONE:
        return stored
    return compression.decompress(entry.compression, stored, entry.raw, what)
