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
"""Objects under one prefix: in a directory or in an S3 bucket."""

from __future__ import annotations

import os
from typing import Mapping

from lakestream.errors import Fault, StoreError
from lakestream.store.address import StreamAddress
from lakestream.store.base import ObjectStore, Page
from lakestream.store.file import FileStore
from lakestream.store.retry import RetryingStore

__all__ = ["ObjectStore", "Page", "StreamAddress", "open_store"]


def open_store(address: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> ObjectStore:
    """The store at an address, ``file:///directory`` or ``s3://bucket/prefix``, with retries."""
    parsed = StreamAddress.parse(address)
    if parsed.scheme == "s3":
        from lakestream.store.s3 import S3Store

        return RetryingStore(S3Store(parsed, options or {}))
    if options:
        raise StoreError(Fault.INVALID, f"{parsed} takes no options, and was given: {', '.join(sorted(options))}.")
    return RetryingStore(FileStore(parsed))
