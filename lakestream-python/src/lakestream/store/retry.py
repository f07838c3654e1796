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
"""The one layer of retries."""

from __future__ import annotations

import random
import time
from typing import Callable, TypeVar

from lakestream.errors import StoreError
from lakestream.store.base import ObjectStore, Page

T = TypeVar("T")


class RetryingStore(ObjectStore):
    """Repeats what may pass, with growing pauses and full jitter. All requests here may be repeated."""

    def __init__(
        self, store: ObjectStore, attempts: int = 8, first_pause: float = 0.05, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.address = store.address
        self._store = store
        self._attempts = attempts
        self._first_pause = first_pause
        self._sleep = sleep

    def _repeated(self, request: Callable[[], T]) -> T:
        for attempt in range(self._attempts):
            try:
                return request()
            except StoreError as e:
                if not e.fault.retryable or attempt + 1 == self._attempts:
                    raise
                self._sleep(random.uniform(0.5, 1.0) * min(5.0, self._first_pause * 2**attempt))
        raise AssertionError("unreachable")

    def read(self, key: str, offset: int, length: int) -> memoryview:
        return self._repeated(lambda: self._store.read(key, offset, length))

    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        return self._repeated(lambda: self._store.read_suffix(key, length))

    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        return self._repeated(lambda: self._store.list(prefix, start_after, limit))

    def put(self, key: str, data: bytes) -> None:
        self._repeated(lambda: self._store.put(key, data))

    def close(self) -> None:
        self._store.close()
