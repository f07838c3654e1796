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
"""Manifests and segments as bytes."""

from __future__ import annotations

import struct
import uuid

from lakestream.errors import CorruptObjectError
from lakestream.format import messages
from lakestream.format.crc32c import crc32c
from lakestream.format.frame import check_crc, check_header, check_magic, check_version, decode_frame, uuid_of
from lakestream.format.wire import decode
from lakestream.manifest.model import BundleDescriptor, Manifest, SegmentRef

MAGIC = b"LKSM"
VERSION = 1
TRAILER_LENGTH = 28
_HEADER_LENGTH = 8


def _trailer(data: memoryview, what: str) -> tuple[int, int, int, int]:
    """Lengths of manifest and delta, and their checksums."""
    if len(data) < TRAILER_LENGTH:
        raise CorruptObjectError(f"{what} is too short: {len(data)} bytes.")
    trailer = data[-TRAILER_LENGTH:]
    manifest, delta, crc, delta_crc, own, version = struct.unpack("<6I", trailer[:24])
    check_magic(bytes(trailer[24:]), MAGIC, what)
    check_version(version, VERSION, what)
    check_crc(trailer[:16], own, f"The trailer of {what}")
    return manifest, delta, crc, delta_crc


def decode_manifest(data: memoryview, what: str) -> Manifest:
    """A whole manifest object."""
    length, delta, crc, _ = _trailer(data, what)
    check_header(data, MAGIC, VERSION, what)
    if _HEADER_LENGTH + length + delta + TRAILER_LENGTH != len(data):
        raise CorruptObjectError(f"{what} has {len(data)} bytes and states {length} and {delta}.")
    check_crc(data[: _HEADER_LENGTH + length], crc, what)
    return Manifest.of(decode(messages.Manifest, data[_HEADER_LENGTH : _HEADER_LENGTH + length], what), what)


def decode_delta(suffix: memoryview, what: str) -> messages.ManifestDelta | None:
    """The delta at the end of a manifest; None if the suffix is too short to hold it, or if there is none (version 0)."""
    _, length, _, crc = _trailer(suffix, what)
    if length == 0 or length + TRAILER_LENGTH > len(suffix):
        return None
    data = suffix[-TRAILER_LENGTH - length : -TRAILER_LENGTH]
    check_crc(data, crc, f"The delta of {what}")
    return decode(messages.ManifestDelta, data, what)


def decode_segment(
    data: memoryview, ref: SegmentRef, stream_id: uuid.UUID, what: str
) -> tuple[list[SegmentRef], list[BundleDescriptor]]:
    """Children and bundles of a segment, checked against the reference that led to it."""
    if crc32c(data) != ref.object_crc:
        raise CorruptObjectError(f"{what} is not the object that its manifest refers to.")
    segment = decode_frame(data, b"LKSS", 1, messages.Segment, what)
    if uuid_of(segment.stream_id, what) != stream_id:
        raise CorruptObjectError(f"{what} belongs to stream {uuid_of(segment.stream_id, what)}, not to {stream_id}.")
    if segment.level != ref.level:
        raise CorruptObjectError(f"{what} is of level {segment.level} and should be of level {ref.level}.")
    bundles = [BundleDescriptor.of(d, what, ref.first_step, ref.first_row) for d in segment.descriptors]
    children = [SegmentRef.of(child) for child in segment.children]
    step, row = ref.first_step, ref.first_row
    parts: list[BundleDescriptor | SegmentRef] = [*bundles, *children]
    for part in parts:
        if part.first_step != step or part.first_row != row:
            raise CorruptObjectError(f"{what} has a hole at step {step}, row {row}.")
        step, row = part.next_step, part.next_row
    if step != ref.next_step or row != ref.next_row or any(child.level >= ref.level for child in children):
        raise CorruptObjectError(f"{what} does not hold what its reference states.")
    return children, bundles
