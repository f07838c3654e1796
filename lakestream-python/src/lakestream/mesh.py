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
"""The shape of a global batch."""

from __future__ import annotations

import dataclasses
import re

MAX_SLICES = 1 << 20


@dataclasses.dataclass(frozen=True, order=True)
class Mesh:
    """D data-parallel replicas, each cut into C context-parallel chunks."""

    dp: int
    cp: int

    def __post_init__(self) -> None:
        if self.dp < 1 or self.cp < 1 or self.dp * self.cp > MAX_SLICES:
            raise ValueError(f"A mesh of {self.dp}x{self.cp}: both are 1 or more, and at most {MAX_SLICES} slices.")

    @property
    def slices(self) -> int:
        return self.dp * self.cp

    def index(self, d: int, c: int) -> int:
        """The number of slice (d, c)."""
        if not (0 <= d < self.dp and 0 <= c < self.cp):
            raise ValueError(f"There is no slice ({d}, {c}) in a mesh of {self}.")
        return d * self.cp + c

    @classmethod
    def parse(cls, text: str) -> "Mesh":
        match = re.fullmatch(r"([0-9]{1,7})x([0-9]{1,7})", text.strip())
        if not match:
            raise ValueError(f"'{text}' is not a mesh. Write it as DxC, such as 8x2.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.dp}x{self.cp}"
