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
"""Stores for tests: in memory, and one around another that counts, delays and lies."""

from __future__ import annotations

import threading
from typing import Callable

import numpy as np

from lakestream.errors import Fault, StoreError
from lakestream.store import ObjectStore, Page


class MemoryStore(ObjectStore):
    def __init__(self, objects: dict[str, bytes] | None = None) -> None:
        self.address = "mem://test"
        self.objects = dict(objects or {})

    def _get(self, key: str) -> bytes:
        if key not in self.objects:
            raise StoreError(Fault.MISSING, f"'{key}' is not there.")
        return self.objects[key]

    def read(self, key: str, offset: int, length: int) -> memoryview:
        data = self._get(key)[offset : offset + length]
        if len(data) != length:
            raise StoreError(Fault.SHORT_REPLY, f"'{key}' ends early.")
        return memoryview(np.frombuffer(data, dtype=np.uint8).copy())

    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        data = self._get(key)
        return memoryview(bytearray(data[-length:])), len(data)

    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        keys = sorted(k for k in self.objects if k.startswith(prefix) and k > start_after)
        return Page(keys[:limit], len(keys) > limit)

    def put(self, key: str, data: bytes) -> None:
        self.objects[key] = data


class WatchedStore(ObjectStore):
    """Counts requests by kind and key, and lets ``before`` look at each first."""

    def __init__(self, store: ObjectStore, before: Callable[[str, str], object] | None = None) -> None:
        self.address = store.address
        self._store = store
        self._before = before
        self._lock = threading.Lock()
        self.requests: list[tuple[str, str, int]] = []
        self.alter: Callable[[str, int, memoryview], memoryview] = lambda key, offset, data: data

    def _seen(self, kind: str, key: str, length: int) -> None:
        with self._lock:
            self.requests.append((kind, key, length))
        if self._before:
            self._before(kind, key)

    def count(self, kind: str, prefix: str = "") -> int:
        return sum(1 for k, key, _ in self.requests if k == kind and key.startswith(prefix))

    def read(self, key: str, offset: int, length: int) -> memoryview:
        self._seen("read", key, length)
        return self.alter(key, offset, self._store.read(key, offset, length))

    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        self._seen("suffix", key, length)
        return self._store.read_suffix(key, length)

    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        self._seen("list", prefix, limit)
        return self._store.list(prefix, start_after, limit)

    def put(self, key: str, data: bytes) -> None:
        self._seen("put", key, len(data))
        self._store.put(key, data)
