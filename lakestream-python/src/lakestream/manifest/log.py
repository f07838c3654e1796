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
"""The numbered manifests of a stream: finding the head and following it (docs/format.md, "Finding the newest version")."""

from __future__ import annotations

import enum
import re
import time
import uuid
from typing import Callable

from lakestream.errors import CorruptObjectError, Fault, ReclaimedError, StoreError, StreamDroppedError
from lakestream.format import messages
from lakestream.manifest.codec import TRAILER_LENGTH, decode_delta, decode_manifest
from lakestream.manifest.model import Manifest
from lakestream.store.base import ObjectStore

_PREFIX = "manifest/"
_KEY = re.compile(r"manifest/([0-9]{20})\.manifest")
_WHOLE = 96 * 1024
_SUFFIX = 8 * 1024
_MAX_DELTAS = 4
_MAX_JUMPS = 3
_PAGE = 1000
_NEIGHBOURS = 8
_TRIES = 8
_WAIT = 0.2


def manifest_key(version: int) -> str:
    return f"{_PREFIX}{version:020d}.manifest"


class _Place(enum.Enum):
    NOT_LISTED = 0  # gone, or the listing is old
    LAST = 1
    FOLLOWED = 2  # by the next number
    BEFORE_A_HOLE = 3


class ManifestLog:
    """Assumes that the live manifests are one run of numbers that ends in the head, which is never deleted.

    A number below the run may be created by a writer that slept, and found by a reader that slept. So a manifest without a
    known successor is believed only when one listing shows it with nothing, or with its own child, behind it. A listing may
    be old: one that does not show the manifest says nothing and is asked for again. Thread-safe.
    """

    def __init__(self, store: ObjectStore, stream_id: uuid.UUID, sleep: Callable[[float], None] = time.sleep) -> None:
        self._store = store
        self._stream_id = stream_id
        self._sleep = sleep

    def newest(self) -> Manifest:
        """The head, for one who knows none: O(log n) listings."""
        for attempt in range(_TRIES):
            if attempt:
                self._sleep(_WAIT * attempt)
            try:
                found = self.at(self._newest_listed(-1) or 0)
                if found is not None:
                    found = self._follow(found)
                    if self._is_live(found):
                        return self._not_dropped(found)
            except ReclaimedError:
                pass  # went while it was being read
        raise CorruptObjectError(
            f"Stream {self._store.address} has no manifest that can be believed: none is listed, or the listing stays stale,"
            " or the newest one listed has been overwritten. Run verify on it."
        )

    def newest_after(self, known: Manifest) -> Manifest:
        """The head, for one who stands at ``known``; ReclaimedError if that is no longer part of the stream."""
        newest = self._follow(known)
        if newest is not known and not self._is_live(newest):
            raise ReclaimedError(f"Manifest {known.version} of {self._store.address} has been reclaimed while its reader slept.")
        return self._not_dropped(newest)

    def _not_dropped(self, live: Manifest) -> Manifest:
        if live.dropped:
            raise StreamDroppedError(
                f"Stream {self._stream_id} at {self._store.address} was dropped (manifest {live.version}). Nothing of it can be"
                " read any more: read another stream, without a cursor of this one."
            )
        return live

    def is_head(self, known: Manifest) -> bool:
        """By a listing rather than by a 404 alone, which a reclaimed number gives too."""
        return self._is_live(known) and self._child(known) is None

    def at(self, version: int) -> Manifest | None:
        """The manifest with this number, read whole; says nothing of its being live."""
        what = self._what(version)
        read = self._suffix(version, _WHOLE)
        if read is None:
            return None
        data, length = read
        if len(data) < length:
            data = self._store.read(manifest_key(version), 0, length)
        manifest = decode_manifest(data, what)
        if manifest.version != version:
            raise CorruptObjectError(f"{what} states version {manifest.version}.")
        if manifest.stream_id != self._stream_id:
            raise StreamDroppedError(
                f"{what} belongs to stream {manifest.stream_id}, not to {self._stream_id}: that one was dropped and another created"
                " in its place, or objects were copied between streams."
            )
        return manifest

    def _follow(self, known: Manifest) -> Manifest:
        """Its children, then what a listing shows beyond them, so that a stale listing hides nothing."""
        newest = self._children(known)
        start = known
        for _ in range(_MAX_JUMPS):
            if newest.version < start.version + _MAX_DELTAS:
                break
            listed = self._newest_listed(newest.version)
            start = (self.at(listed) if listed is not None else None) or newest
            newest = self._children(start)
        return newest

    def _children(self, known: Manifest) -> Manifest:
        for _ in range(_MAX_DELTAS):
            child = self._child(known)
            if child is None:
                break
            known = child
        return known

    def _child(self, parent: Manifest) -> Manifest | None:
        version = parent.version + 1
        what = self._what(version)
        read = self._suffix(version, _SUFFIX)
        if read is None:
            return None
        delta = decode_delta(read[0], what)
        child: Manifest | messages.ManifestDelta | None = delta if delta is not None else self.at(version)
        if child is None:
            return None
        if child.version != version:
            raise CorruptObjectError(f"{what} states version {child.version}.")
        if child.parent_commit_id != parent.commit_id:
            raise ReclaimedError(f"{what} names another parent than manifest {parent.version}, where the reader stands.")
        return parent.with_delta(child, what) if isinstance(child, messages.ManifestDelta) else child

    def _is_live(self, manifest: Manifest) -> bool:
        for attempt in range(_TRIES):
            place = self._place_of(manifest.version)
            if place is _Place.LAST:
                return True
            if place is _Place.BEFORE_A_HOLE:
                return False
            if place is _Place.FOLLOWED:
                return self._is_parent_of_next(manifest)
            if self._suffix(manifest.version, TRAILER_LENGTH) is None:
                return False
            self._sleep(_WAIT * (attempt + 1))
        return False

    def _is_parent_of_next(self, manifest: Manifest) -> bool:
        try:
            return self._child(manifest) is not None
        except ReclaimedError:
            return False

    def _place_of(self, version: int) -> _Place:
        numbers, _, _, _ = self._page(version - 1, _NEIGHBOURS)
        if version not in numbers:
            return _Place.NOT_LISTED
        after = [n for n in numbers if n > version]
        if not after:
            return _Place.LAST
        return _Place.FOLLOWED if min(after) == version + 1 else _Place.BEFORE_A_HOLE

    def _newest_listed(self, version: int) -> int | None:
        """The highest number above ``version``, by doubling and halving; a store without order is listed to its end."""
        numbers, more, ordered, last = self._page(version, _PAGE)
        if not numbers:
            return None
        low = max(numbers)
        if not more:
            return low
        if not ordered:
            while more:
                before = last
                numbers, more, _, last = self._page(version, _PAGE, last)
                low = max([low, *numbers])
                more = more and last != before
            return low
        step, high = _PAGE, 1 << 63
        while low < high:
            probe = low + step if high == 1 << 63 else low + (high - low) // 2
            numbers, more, _, _ = self._page(probe, _PAGE)
            if not numbers:
                high = probe
            elif not more:
                return max(numbers)
            else:
                low = max(numbers)
                step *= 2
        return low

    def _page(self, version: int, limit: int, start_after: str | None = None) -> tuple[set[int], bool, bool, str]:
        """Numbers above ``version`` (some, unless there are none), whether more follow, whether keys came in order, the last key."""
        numbers: set[int] = set()
        ordered, more = True, True
        last = start_after if start_after is not None else manifest_key(version) if version >= 0 else ""
        while more and len(numbers) < _NEIGHBOURS:
            before = last
            page = self._store.list(_PREFIX, last, limit)
            for key in page.keys:
                ordered = ordered and key.encode() > last.encode()
                last = key
                match = _KEY.fullmatch(key)
                if match and version < int(match[1]) < 1 << 63:
                    numbers.add(int(match[1]))
            more = page.truncated and last != before
        return numbers, more, ordered, last

    def _suffix(self, version: int, length: int) -> tuple[memoryview, int] | None:
        try:
            return self._store.read_suffix(manifest_key(version), length)
        except StoreError as e:
            if e.fault is Fault.MISSING:
                return None
            raise

    def _what(self, version: int) -> str:
        return f"Manifest {version} of {self._store.address}"


class Follower:
    """Goes from manifest to manifest; readers of one stream share one. What it sees only grows (invariant I3).

    A 404 on the next number is believed for a while only, and then confirmed by a listing (invariant I8).
    """

    def __init__(self, log: ManifestLog, confirm_interval: float = 30.0) -> None:
        self._log = log
        self._confirm_interval = confirm_interval
        self._confirmed_at = time.monotonic()
        self.manifest = log.newest()

    def advance(self) -> bool:
        """Looks for a newer manifest; whether there is one. For one thread at a time."""
        known = self.manifest
        found = self._newest(known)
        if found.version <= known.version:
            return False
        if found.next_step < known.next_step or found.first_step < known.first_step:
            raise CorruptObjectError(
                f"Manifest {found.version} ends at step {found.next_step} although manifest {known.version} ended at"
                f" {known.next_step}: the stream was overwritten."
            )
        self.manifest = found
        self._confirmed_at = time.monotonic()
        return True

    def _newest(self, known: Manifest) -> Manifest:
        try:
            found = self._log.newest_after(known)
            if found.version > known.version or time.monotonic() - self._confirmed_at < self._confirm_interval:
                return found
            self._confirmed_at = time.monotonic()
            return known if self._log.is_head(known) else self._log.newest()
        except ReclaimedError:
            return self._log.newest()
