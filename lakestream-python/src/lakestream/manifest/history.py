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
"""Which bundles hold which steps, as of one manifest."""

from __future__ import annotations

import collections
import threading
import uuid
from typing import Iterator

from lakestream.errors import TrimmedError
from lakestream.manifest.codec import decode_segment
from lakestream.manifest.model import BundleDescriptor, Manifest, SegmentRef
from lakestream.store.base import ObjectStore

_CACHED = 64


class History:
    """Looks in the tail of a manifest, and goes down from the root of its sealed history. Thread-safe."""

    def __init__(self, store: ObjectStore, stream_id: uuid.UUID) -> None:
        self._store = store
        self._stream_id = stream_id
        self._lock = threading.Lock()
        self._cache: collections.OrderedDict[str, tuple[list[SegmentRef], list[BundleDescriptor]]] = collections.OrderedDict()

    def bundles(self, manifest: Manifest, from_step: int) -> Iterator[BundleDescriptor]:
        """From the one that holds ``from_step`` on, in step order; none if the step does not exist yet."""
        if from_step < manifest.first_step:
            raise TrimmedError(self._store.address, from_step, manifest.first_step)
        if manifest.sealed is not None and from_step < manifest.tail_first_step:
            yield from self._below(manifest.sealed, from_step)
        for bundle in manifest.tail:
            if bundle.next_step > from_step:
                yield bundle

    def bundle_of(self, manifest: Manifest, step: int) -> BundleDescriptor | None:
        return next(self.bundles(manifest, step), None) if step < manifest.next_step else None

    def bundle_of_row(self, manifest: Manifest, row: int) -> BundleDescriptor | None:
        """The bundle that holds a row; None if it does not exist yet. Rows below the trim are not looked for."""
        if not manifest.first_row <= row < manifest.next_row:
            return None
        ref = manifest.sealed
        while ref is not None and row < ref.next_row:
            children, bundles = self._read(ref)
            for bundle in bundles:
                if row < bundle.next_row:
                    return bundle
            ref = next((child for child in children if row < child.next_row), None)
        return next(bundle for bundle in manifest.tail if row < bundle.next_row)

    def _below(self, ref: SegmentRef, from_step: int) -> Iterator[BundleDescriptor]:
        if ref.next_step <= from_step:
            return
        children, bundles = self._read(ref)
        for child in children:
            yield from self._below(child, from_step)
        for bundle in bundles:
            if bundle.next_step > from_step:
                yield bundle

    def _read(self, ref: SegmentRef) -> tuple[list[SegmentRef], list[BundleDescriptor]]:
        with self._lock:
            if ref.object in self._cache:
                self._cache.move_to_end(ref.object)
                return self._cache[ref.object]
        what = f"Segment {self._store.address}/{ref.object}"
        content = decode_segment(self._store.read(ref.object, 0, ref.object_length), ref, self._stream_id, what)
        with self._lock:
            self._cache[ref.object] = content
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return content
