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
"""The frame around an object that is one message, and the checks that all objects share."""

from __future__ import annotations

import struct
import uuid
from typing import TypeVar

from lakestream.errors import CorruptObjectError, UnsupportedVersionError
from lakestream.format.crc32c import Buffer, crc32c
from lakestream.format.wire import Message, decode as decode_message, encode as encode_message

HEADER_LENGTH = 8
_OVERHEAD = 20

M = TypeVar("M", bound=Message)


def check_header(data: memoryview, magic: bytes, newest: int, what: str) -> None:
    """Checks the magic and the version in front."""
    if len(data) < HEADER_LENGTH:
        raise CorruptObjectError(f"{what} is too short: {len(data)} bytes.")
    check_magic(bytes(data[:4]), magic, what)
    check_version(int.from_bytes(data[4:8], "little"), newest, what)


def check_magic(found: bytes, magic: bytes, what: str) -> None:
    if found != magic:
        raise CorruptObjectError(f"{what} is foreign or damaged: {found!r} stands where {magic!r} should.")


def check_version(version: int, newest: int, what: str) -> None:
    if version == 0:
        raise CorruptObjectError(f"{what} is damaged: its format version is 0.")
    if version > newest:
        raise UnsupportedVersionError(
            f"{what} is of format version {version}, and this package reads up to {newest}."
            " A newer build wrote it: use a newer lakestream package."
        )


def check_crc(data: Buffer, expected: int, what: str) -> None:
    found = crc32c(data)
    if found != expected:
        raise CorruptObjectError(f"{what} is damaged: its CRC32C is {found:08x} and should be {expected:08x}.")


def decode_frame(data: bytes | memoryview, magic: bytes, newest: int, kind: type[M], what: str) -> M:
    """The message of a framed object, in the order of checks that docs/format.md gives."""
    view = memoryview(data).cast("B")
    if len(view) < _OVERHEAD:
        raise CorruptObjectError(f"{what} is too short: {len(view)} bytes.")
    check_header(view, magic, newest, what)
    length, crc = struct.unpack("<II", view[-12:-4])
    if length != len(view) - _OVERHEAD:
        raise CorruptObjectError(f"{what} has {len(view)} bytes and states a message of {length}.")
    check_crc(view[:-8], crc, what)
    check_magic(bytes(view[-4:]), magic, what)
    return decode_message(kind, view[HEADER_LENGTH:-12], what)


def encode_frame(magic: bytes, version: int, message: Message) -> bytes:
    body = encode_message(message)
    framed = magic + struct.pack("<I", version) + body + struct.pack("<I", len(body))
    return framed + struct.pack("<I", crc32c(framed)) + magic


def uuid_of(data: bytes, what: str) -> uuid.UUID:
    if len(data) != 16:
        raise CorruptObjectError(f"{what} states a UUID of {len(data)} bytes.")
    return uuid.UUID(bytes=data)
