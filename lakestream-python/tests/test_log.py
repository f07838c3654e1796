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
"""Finding and following the head: the rules of docs/format.md, "Finding the newest version" (invariant I8)."""

from __future__ import annotations

import bisect
import random
import struct
import unittest
import uuid

from memory_store import MemoryStore, WatchedStore

from lakestream.errors import CorruptObjectError, ReclaimedError, StreamDroppedError
from lakestream.format import messages
from lakestream.format.crc32c import crc32c
from lakestream.format.wire import encode
from lakestream.manifest.log import Follower, ManifestLog, manifest_key
from lakestream.store import Page

STREAM = uuid.UUID(int=5)


def commit_id(text: str) -> bytes:
    return text.encode().ljust(16, b"-")


def manifest(version: int, own: str, parent: str | None, dropped: bool = False) -> bytes:
    """An object without bundles, as docs/format.md lays it out; without a parent: a root."""
    is_root = version == 0 or parent is None
    fields = {"version": version, "commit_id": commit_id(own), "parent_commit_id": b"" if is_root else commit_id(parent or "")}
    body = encode(messages.Manifest(stream_id=STREAM.bytes, parent_version=max(0, version - 1), dropped=dropped, **fields))
    delta = b"" if is_root else encode(messages.ManifestDelta(**fields))
    head = b"LKSM" + struct.pack("<I", 1) + body
    trailer = struct.pack("<IIII", len(body), len(delta), crc32c(head), crc32c(delta))
    return head + delta + trailer + struct.pack("<II", crc32c(trailer), 1) + b"LKSM"


def chain(store: MemoryStore, first: int, last: int, name: str = "a", parent: str | None = None) -> None:
    for version in range(first, last + 1):
        before = parent if parent is not None and version == first else f"{name}{version - 1}"
        store.put(manifest_key(version), manifest(version, f"{name}{version}", before))


class LogTest(unittest.TestCase):
    def setUp(self) -> None:
        self.store = MemoryStore()
        self.slept: list[float] = []
        self.log = ManifestLog(self.store, STREAM, self.slept.append)

    def test_the_head_of_a_short_run(self) -> None:
        chain(self.store, 0, 3)
        self.assertEqual(self.log.newest().version, 3)

    def test_the_head_of_a_long_run_costs_few_requests(self) -> None:
        watched = WatchedStore(self.store)
        chain(self.store, 0, 20_000)
        self.assertEqual(ManifestLog(watched, STREAM).newest().version, 20_000)
        self.assertLess(len(watched.requests), 30)

    def test_foreign_keys_are_passed_over(self) -> None:
        chain(self.store, 0, 2)
        for key in ("manifest/3.manifest", "manifest/00000000000000000003.manifest.tmp", "manifest/x", "manifest/99999999999999999999.manifest"):
            self.store.put(key, b"x")
        for number in range(50):
            self.store.put(f"manifest/00000000000000000001.manifest.{number}", b"x")
        self.assertEqual(self.log.newest().version, 2)

    def test_pages_of_every_size_and_order(self) -> None:
        """Field fault B48: numbers that grow a digit, tiny pages, keys out of order, and other people's keys between them."""
        foreign = ("manifest/", "manifest/.crc", "manifest/00000012.json.bak", "manifest/18446744073709551615.manifest", "manifest/zzz")
        for head in (0, 1, 9, 10, 99, 100, 2499):
            manifests = [manifest_key(version) for version in range(head + 1)]
            keys = sorted([*manifests, *foreign])
            store = MemoryStore({manifest_key(head): manifest(head, f"a{head}", f"a{head - 1}")})
            for size in (1, 2, 7, 1000) if head < 1000 else (7, 1000):
                for order in (None, random.Random(head + size)):

                    def page(prefix: str, start_after: str, limit: int) -> Page:
                        start = bisect.bisect_right(keys, start_after)
                        found = keys[start : start + min(size, limit)]
                        if order:
                            order.shuffle(found)
                        return Page(found, start + len(found) < len(keys))

                    store.list = page  # type: ignore[method-assign]
                    with self.subTest(head=head, size=size, shuffled=bool(order)):
                        self.assertEqual(ManifestLog(store, STREAM, self.slept.append).newest().version, head)
        self.assertEqual(self.slept, [])

    def test_a_reader_follows(self) -> None:
        chain(self.store, 0, 2)
        follower = Follower(self.log)
        self.assertFalse(follower.advance())
        chain(self.store, 3, 3)
        self.assertTrue(follower.advance())
        self.assertEqual(follower.manifest.version, 3)
        chain(self.store, 4, 40)
        self.assertTrue(follower.advance())
        self.assertEqual(follower.manifest.version, 40)

    def test_a_dead_manifest_in_a_freed_number_is_not_believed(self) -> None:
        chain(self.store, 0, 2)
        follower = Follower(self.log)
        chain(self.store, 3, 9)
        for version in range(7):
            del self.store.objects[manifest_key(version)]
        # A writer that slept on 2 creates 3, which is free again; the live run is 7 to 9.
        self.store.put(manifest_key(3), manifest(3, "sleeper", "a2"))
        self.assertTrue(follower.advance())
        self.assertEqual((follower.manifest.version, follower.manifest.commit_id), (9, commit_id("a9")))

    def test_a_404_on_a_reclaimed_number_is_found_out_by_a_listing(self) -> None:
        chain(self.store, 0, 2)
        follower = Follower(self.log, confirm_interval=0.0)
        chain(self.store, 3, 9)
        for version in range(7):
            del self.store.objects[manifest_key(version)]
        self.assertTrue(follower.advance())
        self.assertEqual(follower.manifest.version, 9)

    def test_a_dead_manifest_right_below_the_run_is_not_believed(self) -> None:
        chain(self.store, 7, 9)
        self.store.put(manifest_key(6), manifest(6, "sleeper", "a5"))
        dead = self.log.at(6)
        assert dead is not None
        self.assertFalse(self.log.is_head(dead))
        with self.assertRaises(ReclaimedError):
            self.log.newest_after(dead)

    def test_an_overwritten_head_breaks_the_chain(self) -> None:
        chain(self.store, 0, 2)
        known = self.log.newest()
        self.store.put(manifest_key(2), manifest(2, "other", "a1"))
        self.store.put(manifest_key(3), manifest(3, "next", "other"))
        with self.assertRaises(ReclaimedError):
            self.log.newest_after(known)

    def test_a_stale_listing_hides_nothing(self) -> None:
        chain(self.store, 0, 3)
        stale = WatchedStore(self.store)
        old = sorted(self.store.objects)

        def list_old(prefix: str, start_after: str, limit: int) -> Page:
            keys = [k for k in old if k > start_after]
            return Page(keys[:limit], len(keys) > limit)

        chain(self.store, 4, 5)
        listings = iter([list_old, list_old])
        stale.list = lambda *a: next(listings, self.store.list)(*a)  # type: ignore[method-assign]
        log = ManifestLog(stale, STREAM, self.slept.append)
        self.assertEqual(log.newest().version, 5)
        self.assertTrue(self.slept)

    def test_no_manifest_at_all(self) -> None:
        with self.assertRaisesRegex(CorruptObjectError, "no manifest"):
            self.log.newest()

    def test_a_manifest_of_another_stream(self) -> None:
        chain(self.store, 0, 0)
        with self.assertRaisesRegex(StreamDroppedError, "belongs to stream"):
            ManifestLog(self.store, uuid.UUID(int=6)).newest()

    def test_a_stream_that_was_dropped(self) -> None:
        chain(self.store, 0, 2)
        known = self.log.newest()
        self.store.put(manifest_key(3), manifest(3, "end", None, dropped=True))
        for look in (self.log.newest, lambda: Follower(self.log)):
            with self.assertRaisesRegex(StreamDroppedError, "was dropped"):
                look()
        with self.assertRaises(ReclaimedError):  # a root is nobody's child
            self.log.newest_after(known)


if __name__ == "__main__":
    unittest.main()
