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
"""Streams in a directory."""

from __future__ import annotations

import errno
import os
import uuid
from typing import MutableSequence

import numpy as np

from lakestream.errors import Fault, StoreError
from lakestream.store.address import StreamAddress
from lakestream.store.base import ObjectStore, Page

_TEMP = ".lakestream-tmp"
_MISSING = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class FileStore(ObjectStore):
    """Reads by position, and writes by renaming, so that nobody sees half an object."""

    def __init__(self, address: StreamAddress) -> None:
        self.address = str(address)
        self._root = "/" + address.path

    def _path(self, key: str) -> str:
        if not key or any(part in ("", ".", "..") for part in key.split("/")):
            raise StoreError(Fault.INVALID, f"The key '{key}' cannot be used at {self.address}.")
        return os.path.join(self._root, key)

    def read(self, key: str, offset: int, length: int) -> memoryview:
        try:
            fd = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
            try:
                return self._read(fd, key, offset, length)
            finally:
                os.close(fd)
        except OSError as e:
            raise self._fault(e, "read", key) from e

    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        try:
            fd = os.open(self._path(key), os.O_RDONLY | os.O_CLOEXEC)
            try:
                size = os.fstat(fd).st_size
                wanted = min(length, size)
                return self._read(fd, key, size - wanted, wanted), size
            finally:
                os.close(fd)
        except OSError as e:
            raise self._fault(e, "read", key) from e

    def _read(self, fd: int, key: str, offset: int, length: int) -> memoryview:
        buffer = memoryview(np.empty(length, dtype=np.uint8))
        done = 0
        while done < length:
            got = os.preadv(fd, [buffer[done : done + (1 << 30)]], offset + done)
            if got == 0:
                raise StoreError(
                    Fault.SHORT_REPLY, f"'{key}' at {self.address} ends at byte {offset + done}, before {offset + length}."
                )
            done += got
        return buffer

    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        directory = prefix[: prefix.rfind("/") + 1]
        found: MutableSequence[str] = []
        try:
            truncated = self._walk(directory, prefix, start_after, limit, found)
        except OSError as e:
            raise self._fault(e, "list", prefix) from e
        return Page([*found], truncated)

    def _walk(self, directory: str, prefix: str, start_after: str, limit: int, found: MutableSequence[str]) -> bool:
        """Adds keys in order; whether there are more than ``limit``."""
        children = []
        try:
            with os.scandir(os.path.join(self._root, directory)) as entries:
                for entry in entries:
                    key = directory + entry.name
                    if entry.is_dir():
                        key += "/"
                        if key == _TEMP + "/" or not (key.startswith(prefix) or prefix.startswith(key)):
                            continue
                        if not (start_after.startswith(key) or _order(key) > _order(start_after)):
                            continue
                    elif not key.startswith(prefix) or _order(key) <= _order(start_after):
                        continue
                    children.append(key)
        except (FileNotFoundError, NotADirectoryError):
            return False
        for key in sorted(children, key=_order):
            if key.endswith("/"):
                if self._walk(key, prefix, start_after, limit, found):
                    return True
            elif len(found) == limit:
                return True
            else:
                found.append(key)
        return False

    def put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        temporary = os.path.join(self._root, _TEMP, str(uuid.uuid4()))
        try:
            os.makedirs(os.path.dirname(temporary), exist_ok=True)
            try:
                with open(temporary, "xb") as out:
                    out.write(data)
                    out.flush()
                    os.fsync(out.fileno())
                os.makedirs(os.path.dirname(path), exist_ok=True)
                os.replace(temporary, path)
            finally:
                if os.path.exists(temporary):
                    os.unlink(temporary)
        except OSError as e:
            raise self._fault(e, "write", key) from e

    def _fault(self, e: OSError, action: str, key: str) -> StoreError:
        if isinstance(e, _MISSING):
            fault = Fault.MISSING
        elif isinstance(e, PermissionError):
            fault = Fault.DENIED
        elif e.errno in (errno.ENAMETOOLONG, errno.EINVAL):
            fault = Fault.INVALID
        else:
            fault = Fault.UNAVAILABLE
        return StoreError(fault, f"Could not {action} '{key}' at {self.address}: {e.strerror or e}.")


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
