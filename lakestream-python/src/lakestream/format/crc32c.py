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
"""CRC32C (Castagnoli), by ``google_crc32c`` or ``crc32c`` where one is installed, otherwise by numpy.

How numpy does it: words of 64 bits are spread over lanes, each row of lanes is folded into the state of all lanes by four
lookups in tables of 65,536 entries, and the lanes are put together at the end in log2(lanes) steps. A CRC is linear, so a state
that is pushed on by n zero bytes is a lookup too.
"""

from __future__ import annotations

from typing import Callable

import numpy as np

Buffer = bytes | bytearray | memoryview | np.ndarray

_POLYNOMIAL = 0x82F63B78
_LANES = 2048
_SHORT = 64


def _byte_table() -> np.ndarray:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> 1) ^ np.where(table & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return table.astype(np.uint32)


_BYTES = _byte_table()
_BYTE_LIST = _BYTES.tolist()


def _step(state: np.ndarray, zeros: int) -> np.ndarray:
    """States pushed on by a few zero bytes."""
    for _ in range(zeros):
        state = _BYTES[state & 0xFF] ^ (state >> 8)
    return state


def _spread(basis: np.ndarray) -> np.ndarray:
    """Images of all numbers of len(basis) bits, given those of the single bits."""
    table = np.zeros(1, dtype=np.uint32)
    for image in basis:
        table = np.concatenate([table, table ^ image])
    return table


class _Push:
    """Pushes states on by a fixed number of zero bytes."""

    def __init__(self, bits: np.ndarray) -> None:
        self.bits = bits  # the images of the 32 single bits
        self.low = _spread(bits[:16])
        self.high = _spread(bits[16:])

    def __call__(self, states: np.ndarray) -> np.ndarray:
        return self.low[states & 0xFFFF] ^ self.high[states >> 16]

    def twice(self) -> "_Push":
        return _Push(self(self.bits))


_SINGLE_BITS = (np.uint32(1) << np.arange(32, dtype=np.uint32)).astype(np.uint32)
_pushes = [_Push(_step(_SINGLE_BITS, 8))]


def _push(power: int) -> _Push:
    """By 8 * 2**power bytes."""
    while len(_pushes) <= power:
        _pushes.append(_pushes[-1].twice())
    return _pushes[power]


def _word_tables() -> list[np.ndarray]:
    """For each quarter of a little-endian word of 64 bits, the state that it gives at the end of the word."""
    return [_spread(_step(_SINGLE_BITS[:16], 8 - 2 * quarter)) for quarter in range(4)]


_last_row: list[np.ndarray] | None = None
_full_row: list[np.ndarray] | None = None


def _rows() -> tuple[list[np.ndarray], list[np.ndarray]]:
    global _last_row, _full_row
    if _last_row is None or _full_row is None:
        _last_row = _word_tables()
        push = _push_words(_LANES - 1)  # to the same lane of the next row
        _full_row = [push(table) for table in _word_tables()]
    return _last_row, _full_row


def _push_words(words: int) -> Callable[[np.ndarray], np.ndarray]:
    def push(states: np.ndarray) -> np.ndarray:
        power = 0
        left = words
        while left:
            if left & 1:
                states = _push(power)(states)
            left >>= 1
            power += 1
        return states

    return push


def _fold(row: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
    """The states after a row of words, given as quarters."""
    quarters = row.view(np.uint16).reshape(-1, 4)
    state = tables[0].take(quarters[:, 0])
    for q in (1, 2, 3):
        state ^= tables[q].take(quarters[:, q])
    return state


def crc32c_numpy(data: Buffer) -> int:
    """The CRC32C of the bytes, by numpy alone."""
    view = np.frombuffer(data, dtype=np.uint8)
    length = len(view)
    if length < _SHORT:
        crc = 0xFFFFFFFF
        for byte in view.tolist():
            crc = _BYTE_LIST[(crc ^ byte) & 0xFF] ^ (crc >> 8)
        return crc ^ 0xFFFFFFFF
    last_row, full_row = _rows()
    words = (length + 7) // 8
    lanes = min(_LANES, 1 << (words - 1).bit_length())
    rows = -(-words // lanes)
    # Zeros in front change nothing as long as the initial value meets the first four bytes of the data.
    first = np.zeros(lanes * 8, dtype=np.uint8)
    in_first = length - (rows - 1) * lanes * 8
    begin = lanes * 8 - in_first
    if in_first >= 4 or rows == 1:
        first[begin:] = view[:in_first]
        first[begin : begin + 4] ^= 0xFF
        rest = view[in_first:]
    else:
        first[begin:] = view[:in_first] ^ 0xFF
        rest = None
    row = first.view("<u8")
    if rest is None:
        # The initial value reaches into the second row: that one is copied too.
        second = view[in_first : in_first + lanes * 8].copy()
        second[: 4 - in_first] ^= 0xFF
        row = _fold(row, full_row) ^ second.view("<u8")
        rest = view[in_first + lanes * 8 :]
    remaining = len(rest) // (lanes * 8)
    for number in range(remaining):
        at = number * lanes * 8
        words_here = np.frombuffer(rest[at : at + lanes * 8], dtype="<u8")
        row = _fold(row, full_row) ^ words_here
    state = _fold(np.ascontiguousarray(row), last_row)
    power = 0
    while len(state) > 1:
        pairs = state.reshape(-1, 2)
        state = _push(power)(pairs[:, 0]) ^ pairs[:, 1]
        power += 1
    return int(state[0]) ^ 0xFFFFFFFF


def _accelerated() -> tuple[str, Callable[[Buffer], int]]:
    try:
        import google_crc32c

        if google_crc32c.implementation == "c":
            return "google_crc32c", lambda data: google_crc32c.value(bytes(data))
    except ImportError:
        pass
    try:
        import crc32c as module

        return "crc32c", module.crc32c
    except ImportError:
        return "numpy", crc32c_numpy


IMPLEMENTATION, _compute = _accelerated()


def crc32c(data: Buffer) -> int:
    """The CRC32C of the bytes."""
    return _compute(data)
