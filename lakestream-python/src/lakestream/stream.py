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
"""A stream: what it is, its newest manifest, its history."""

from __future__ import annotations

import os
import threading
import time
import uuid
from typing import Mapping

from lakestream.errors import CorruptObjectError, Fault, StoreError, StreamNotFoundError
from lakestream.format import messages
from lakestream.format.frame import decode_frame, uuid_of
from lakestream.manifest.history import History
from lakestream.manifest.log import Follower, ManifestLog
from lakestream.manifest.model import BundleDescriptor, Manifest, mesh_of
from lakestream.mesh import Mesh
from lakestream.store import ObjectStore, open_store

_MAX_STREAM_OBJECT = 1 << 20


class Stream:
    """A stream that is read. Thread-safe; not to be carried over a fork."""

    def __init__(self, store: ObjectStore, confirm_interval: float = 30.0) -> None:
        """Opens the stream in a store; ``confirm_interval`` in seconds, see Follower."""
        self.store = store
        what = f"The stream object at {store.address}"
        try:
            data, length = store.read_suffix("stream", _MAX_STREAM_OBJECT)
        except StoreError as e:
            if e.fault is Fault.MISSING:
                raise StreamNotFoundError(
                    f"There is no stream at {store.address}: it has no object 'stream'. Look at the address, or start the job"
                    " that writes it."
                ) from e
            raise
        if length > len(data):
            raise CorruptObjectError(f"{what} has {length} bytes.")
        info = decode_frame(data, b"LKST", 1, messages.StreamObject, what)
        self.id: uuid.UUID = uuid_of(info.stream_id, what)
        self.default_mesh: Mesh = mesh_of(info.default_mesh, what)
        self.slice_format: str = info.slice_format
        self.schema: str = info.schema
        self.options: dict[str, str] = info.options
        self.log = ManifestLog(store, self.id)
        self.history = History(store, self.id)
        self._lock = threading.Lock()
        self._follower = Follower(self.log, confirm_interval)
        self._asked_at = time.monotonic()

    @classmethod
    def open(cls, address: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> "Stream":
        """``file:///directory``, or ``s3://bucket/prefix`` with the options ``s3.…`` of docs/training.md."""
        return cls(open_store(address, options))

    @property
    def manifest(self) -> Manifest:
        """The newest one known."""
        return self._follower.manifest

    @property
    def answered_at(self) -> float:
        """When the store last said what is the newest manifest, by the monotonic clock."""
        return self._asked_at

    def refresh(self, max_age: float = 0.0) -> Manifest:
        """The newest one there was at most ``max_age`` seconds ago. So all readers of a stream share one poller."""
        with self._lock:
            begin = time.monotonic()
            if begin - self._asked_at >= max_age:
                self._follower.advance()
                self._asked_at = begin
            return self._follower.manifest

    def bundle_of(self, step: int) -> BundleDescriptor | None:
        """The bundle that holds a step; None if it does not exist yet; TrimmedError if it has been reclaimed."""
        return self.history.bundle_of(self.manifest, step)

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __str__(self) -> str:
        return f"stream {self.id} at {self.store.address}"
