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
"""LZ4 blocks in Python alone, for machines without the ``lz4`` package. Slow."""

from __future__ import annotations


def decompress(block: bytes | memoryview, length: int) -> bytearray:
    """Exactly ``length`` bytes, or ValueError; never allocates more than that."""
    src = memoryview(block).cast("B")
    out = bytearray()
    at, end = 0, len(src)
    while at < end:
        token = src[at]
        at += 1
        literals, at = _length(src, at, token >> 4)
        if literals > end - at or literals > length - len(out):
            raise ValueError("literals reach beyond the end")
        out += src[at : at + literals]
        at += literals
        if at == end:
            break
        if end - at < 2:
            raise ValueError("it ends inside a match")
        offset = src[at] | src[at + 1] << 8
        matched, at = _length(src, at + 2, token & 15)
        matched += 4
        begin = len(out) - offset
        if offset == 0 or begin < 0 or matched > length - len(out):
            raise ValueError("a match reaches beyond the ends")
        if matched <= offset:
            out += out[begin : begin + matched]
        else:
            piece = bytes(out[begin:])
            out += (piece * (matched // offset + 1))[:matched]
    if len(out) != length:
        raise ValueError(f"it holds {len(out)} bytes, not {length}")
    return out


def _length(src: memoryview, at: int, first: int) -> tuple[int, int]:
    if first < 15:
        return first, at
    while True:
        if at >= len(src):
            raise ValueError("it ends inside a length")
        byte = src[at]
        at += 1
        first += byte
        if byte < 255:
            return first, at
