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
"""Decompression of slices, by optional packages."""

from __future__ import annotations

from lakestream.errors import CorruptObjectError, MissingModuleError
from lakestream.format import lz4block

NONE, ZSTD, LZ4 = 0, 1, 2


def decompress(kind: int, stored: memoryview, length: int, what: str) -> memoryview:
    """Exactly ``length`` bytes; more or fewer are damage."""
    try:
        if kind == ZSTD:
            data = _zstd(stored, length)
        elif kind == LZ4:
            data = _lz4(stored, length)
        else:
            raise CorruptObjectError(f"{what} is compressed in a way (number {kind}) that is not known here.")
    except (ValueError, RuntimeError) as e:
        raise CorruptObjectError(f"{what} does not decompress: {e}") from e
    if len(data) != length:
        raise CorruptObjectError(f"{what} decompresses into {len(data)} bytes and states {length}.")
    return memoryview(data)


def _zstd(stored: memoryview, length: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingModuleError(
            "The stream is compressed with Zstandard, which needs the package 'zstandard': pip install zstandard,"
            " or apt-get install python3-zstandard."
        ) from None
    try:
        stated = zstandard.get_frame_parameters(stored[:18]).content_size
        if stated != length:
            raise ValueError(f"its frame states {stated} bytes, not {length}")
        return zstandard.ZstdDecompressor().decompress(stored, max_output_size=length)
    except zstandard.ZstdError as e:
        raise ValueError(str(e)) from e


def _lz4(stored: memoryview, length: int) -> bytes | bytearray:
    try:
        from lz4.block import decompress as lz4_decompress
    except ImportError:
        return lz4block.decompress(stored, length)
    try:
        return lz4_decompress(stored, uncompressed_size=length)
    except Exception as e:  # LZ4BlockError, which older versions do not export
        raise ValueError(str(e)) from e
