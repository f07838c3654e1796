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
"""The slice format ``records`` (docs/slice-formats.md)."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from lakestream.errors import CorruptObjectError, UnsupportedVersionError


class RecordSlice(Sequence[memoryview]):
    """The records of a slice, as views without copying."""

    def __init__(self, data: memoryview | bytes, what: str = "A slice of records") -> None:
        view = memoryview(data).cast("B")
        self._data = view
        self._ends = np.zeros(1, dtype=np.int64)
        if len(view) == 0:
            return
        if len(view) < 12 or view[-4:] != b"LKRS":
            raise CorruptObjectError(f"{what} is too short, or does not end as one: {len(view)} bytes.")
        n, version = (int(v) for v in np.frombuffer(view, "<u4", 2, len(view) - 12))
        if version > 1:
            raise UnsupportedVersionError(f"{what} is of version {version}, and this package reads version 1. Use a newer one.")
        table = len(view) - 12 - 4 * n
        if version == 0 or table < 0:
            raise CorruptObjectError(f"{what} of {len(view)} bytes states {n} records, version {version}.")
        ends = np.concatenate([self._ends, np.frombuffer(view, "<u4", n, table).astype(np.int64)])
        if ends[-1] != table or (np.diff(ends) < 0).any():
            raise CorruptObjectError(f"{what} has a damaged table.")
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"Record {index} of {len(self)}.")
        index %= len(self)
        return self._data[self._ends[index] : self._ends[index + 1]]
