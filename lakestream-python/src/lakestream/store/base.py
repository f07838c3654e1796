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
"""What a reader asks of a store."""

from __future__ import annotations

import abc
import dataclasses


@dataclasses.dataclass(frozen=True)
class Page:
    """Some keys in order, and whether more follow."""

    keys: list[str]
    truncated: bool


class ObjectStore(abc.ABC):
    """Objects under one prefix; keys are relative to it. Thread-safe. Every method may raise StoreError."""

    address: str

    @abc.abstractmethod
    def read(self, key: str, offset: int, length: int) -> memoryview:
        """Exactly these bytes, ``length`` above 0; in memory of its own, which may be written to."""

    @abc.abstractmethod
    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        """The last bytes, as many as there are up to ``length``, and the length of the object."""

    @abc.abstractmethod
    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        """Keys with the prefix behind ``start_after``, in the order of their bytes."""

    @abc.abstractmethod
    def put(self, key: str, data: bytes) -> None:
        """Writes an object whole, in place of one that is there."""

    def close(self) -> None:
        """Lets go of connections."""
