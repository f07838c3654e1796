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
"""The slice format ``tokens`` (docs/slice-formats.md)."""

from __future__ import annotations

import dataclasses
from typing import Sequence

import numpy as np

from lakestream.errors import CorruptObjectError, UnsupportedVersionError

_SEQUENCE = np.dtype([("end", "<u4"), ("real", "<u4"), ("following", "<u4"), ("zero", "<u4")])
BOUNDARY = np.dtype([("start", "<u4"), ("first_position", "<u4"), ("sample_id", "<u8")])
NO_TOKEN = -1
_NONE = 0xFFFFFFFF


@dataclasses.dataclass(frozen=True)
class Tokens:
    """Packed sequences, or some columns of them.

    ``tokens`` is [n, width], a view of the slice's bytes where it is one slice. ``start`` is the index of column 0 in the whole
    sequence of ``length`` tokens. ``real`` [n] counts the tokens of the whole sequence that are not padding. ``following`` [n]
    is the token behind the last column, -1 for none. ``boundaries`` are those of sequence i from ``offsets[i]`` to
    ``offsets[i + 1]``; each begins a document, or the rest of one.
    """

    tokens: np.ndarray
    start: int
    length: int
    padding: int
    real: np.ndarray
    following: np.ndarray
    offsets: np.ndarray
    boundaries: np.ndarray

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def width(self) -> int:
        return self.tokens.shape[1]

    @classmethod
    def decode(cls, data: memoryview | bytes, what: str = "A slice of tokens") -> "Tokens":
        """The sequences of a slice; their tokens are not copied."""
        view = memoryview(data).cast("B")
        if len(view) == 0:
            return cls.empty()
        if len(view) < 32 or view[:4] != b"LKTS":
            raise CorruptObjectError(f"{what} is too short, or does not begin as one: {len(view)} bytes.")
        version, n, length, chunk, chunks, width, padding = (int(v) for v in np.frombuffer(view, "<u4", 7, 4))
        if version > 1:
            raise UnsupportedVersionError(f"{what} is of version {version}, and this package reads version 1. Use a newer one.")
        if version == 0 or width not in (2, 4) or not 0 <= chunk < chunks or length % chunks or length == 0:
            raise CorruptObjectError(f"{what} states version {version}, chunk {chunk} of {chunks}, {length} tokens of {width} bytes.")
        per_chunk = length // chunks
        table = (32 + n * per_chunk * width + 7) // 8 * 8
        if table + 16 * n > len(view) or (len(view) - table) % 16:
            raise CorruptObjectError(f"{what} has {len(view)} bytes and states {n} sequences of {length} tokens.")
        sequences = np.frombuffer(view, _SEQUENCE, n, table)
        boundaries = np.frombuffer(view, BOUNDARY, (len(view) - table) // 16 - n, table + 16 * n)
        following = sequences["following"].astype(np.int64)
        following[following == _NONE] = NO_TOKEN
        found = cls(
            np.frombuffer(view, f"<u{width}", n * per_chunk, 32).reshape(n, per_chunk),
            chunk * per_chunk,
            length,
            padding,
            sequences["real"].astype(np.int64),
            following,
            np.concatenate([[0], sequences["end"].astype(np.int64)]),
            boundaries,
        )
        found._check(what)
        return found

    @classmethod
    def empty(cls) -> "Tokens":
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros((0, 0), dtype="<u2"), 0, 0, 0, none, none, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=BOUNDARY))

    def _check(self, what: str) -> None:
        counts = np.diff(self.offsets)
        if (counts < 0).any() or self.offsets[-1] != len(self.boundaries) or (self.real > self.length).any():
            raise CorruptObjectError(f"{what} has a damaged table of sequences.")
        starts = self.boundaries["start"].astype(np.int64)
        firsts = np.zeros(len(starts), dtype=bool)
        firsts[self.offsets[:-1][counts > 0]] = True
        increasing = np.ones(len(starts), dtype=bool)
        increasing[1:] = starts[1:] > starts[:-1]
        if (
            ((counts == 0) != (self.real == 0)).any()
            or (starts[firsts] != 0).any()
            or not (increasing | firsts).all()
            or (starts >= np.repeat(self.real, counts)).any()
        ):
            raise CorruptObjectError(f"{what} has damaged boundaries of documents.")

    # Parts and their assembly

    def rows(self, first: int, last: int | None) -> "Tokens":
        """Some of the sequences."""
        last = len(self) if last is None else last
        if not 0 <= first <= last <= len(self):
            raise IndexError(f"Sequences {first} to {last} of {len(self)}.")
        low, high = int(self.offsets[first]), int(self.offsets[last])
        return dataclasses.replace(
            self,
            tokens=self.tokens[first:last],
            real=self.real[first:last],
            following=self.following[first:last],
            offsets=self.offsets[first : last + 1] - low,
            boundaries=self.boundaries[low:high],
        )

    def columns(self, first: int, last: int) -> "Tokens":
        """Some columns of each sequence, as a chunk of their own."""
        if not 0 <= first < last <= self.width:
            raise IndexError(f"Columns {first} to {last} of {self.width}.")
        following = self.following
        if last < self.width:
            after = self.tokens[:, last].astype(np.int64)
            following = np.where(self.start + last < self.real, after, NO_TOKEN)
        return dataclasses.replace(self, tokens=self.tokens[:, first:last], start=self.start + first, following=following)

    @staticmethod
    def joined(chunks: "Sequence[Tokens]") -> "Tokens":
        """Neighbouring chunks of the same sequences, put together along the sequence."""
        for left, right in zip(chunks, chunks[1:]):
            if (
                right.start != left.start + left.width
                or not np.array_equal(left.real, right.real)
                or not np.array_equal(left.boundaries, right.boundaries)
            ):
                raise CorruptObjectError("Two chunks of one replica do not hold neighbouring parts of the same sequences.")
        if len(chunks) == 1:
            return chunks[0]
        return dataclasses.replace(
            chunks[0], tokens=np.concatenate([c.tokens for c in chunks], axis=1), following=chunks[-1].following
        )

    @staticmethod
    def stacked(parts: "Sequence[Tokens]") -> "Tokens":
        """Sequences one after another."""
        parts = [part for part in parts if len(part)]
        if len(parts) <= 1:
            return parts[0] if parts else Tokens.empty()
        if len({(part.start, part.width, part.length) for part in parts}) != 1:
            raise CorruptObjectError("The slices of one step hold sequences of different lengths.")
        begins = np.cumsum([0] + [len(part.boundaries) for part in parts])
        return dataclasses.replace(
            parts[0],
            tokens=np.concatenate([part.tokens for part in parts]),
            real=np.concatenate([part.real for part in parts]),
            following=np.concatenate([part.following for part in parts]),
            offsets=np.concatenate([[0], *(part.offsets[1:] + at for part, at in zip(parts, begins))]),
            boundaries=np.concatenate([part.boundaries for part in parts]),
        )

    # What follows from it, all [n, width]

    def _documents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For each token its index in the whole sequence, whether it is real, its boundary, and where its document ends."""
        n = len(self)
        index = np.broadcast_to(self.start + np.arange(self.width, dtype=np.int64), (n, self.width))
        real = index < self.real[:, None]
        sequence = np.repeat(np.arange(n, dtype=np.int64), np.diff(self.offsets))
        starts = self.boundaries["start"].astype(np.int64)
        keys = sequence * max(self.length, 1) + starts
        wanted = np.arange(n, dtype=np.int64)[:, None] * max(self.length, 1) + index
        boundary = np.where(real, np.searchsorted(keys, wanted, side="right") - 1, 0)
        ends = self.real[sequence] if len(sequence) else np.zeros(1, dtype=np.int64)
        if len(starts) > 1:
            same = sequence[1:] == sequence[:-1]
            ends[:-1] = np.where(same, starts[1:], ends[:-1])
        return index, real, boundary, ends[boundary]

    def positions(self) -> np.ndarray:
        """The position of each token inside its document; 0 for padding."""
        index, real, boundary, _ = self._documents()
        if not len(self.boundaries):
            return np.zeros(self.tokens.shape, dtype=np.int64)
        found = self.boundaries["first_position"].astype(np.int64)[boundary] + index
        return np.where(real, found - self.boundaries["start"].astype(np.int64)[boundary], 0)

    def segment_ids(self) -> np.ndarray:
        """The number of each token's document in its sequence, from 1; 0 for padding."""
        _, real, boundary, _ = self._documents()
        return np.where(real, boundary - self.offsets[:-1, None] + 1, 0)

    def targets(self) -> np.ndarray:
        """The token that follows each one in its document; -1 for padding and at the end of a document."""
        index, real, _, end = self._documents()
        following = np.concatenate([self.tokens[:, 1:].astype(np.int64), self.following[:, None]], axis=1)
        return np.where(real & (index + 1 < end), following, NO_TOKEN)

    def sample_ids(self) -> np.ndarray:
        """The sample id of each token's document, as uint64; 0 for padding."""
        _, real, boundary, _ = self._documents()
        if not len(self.boundaries):
            return np.zeros(self.tokens.shape, dtype=np.uint64)
        return np.where(real, self.boundaries["sample_id"][boundary], np.uint64(0))

    def cu_seqlens(self, i: int) -> np.ndarray:
        """Cumulative lengths of the documents of the whole sequence ``i``; padding is a last document of its own."""
        starts = self.boundaries["start"][self.offsets[i] : self.offsets[i + 1]].astype(np.int32)
        real = int(self.real[i])
        ends = [real, self.length] if real < self.length else [real]
        return np.concatenate([starts, np.array(ends, dtype=np.int32)])
