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
"""Field fault B37: whatever a server does to a range, a caller gets the right bytes or an error.

The server is a script of answers; beyond its end it answers 500, as a store in trouble does.
"""

from __future__ import annotations

import http.server
import threading
import unittest
from typing import Callable

from lakestream import Fault, StoreError
from lakestream.store.address import StreamAddress
from lakestream.store.base import ObjectStore
from lakestream.store.retry import RetryingStore
from lakestream.store.s3 import S3Store

try:
    import boto3  # noqa: F401  (whether it is there)
except ImportError:
    raise unittest.SkipTest("boto3 is not installed (apt-get install python3-boto3)") from None

OBJECT = bytes((7 * i + i // 251) % 256 for i in range(3_000_000))
FIRST, LENGTH = 1_500_000, 100_000
RIGHT = OBJECT[FIRST : FIRST + LENGTH]


class _Handler(http.server.BaseHTTPRequestHandler):
    server: "ScriptedServer"

    def do_GET(self) -> None:
        self.server.ranges.append(self.headers.get("Range", ""))
        if self.server.script:
            self.server.script.pop(0)(self)
        else:
            self.send(500, b"", {})

    def send(self, status: int, body: bytes, headers: dict[str, str], sent: int | None = None) -> None:
        """Announces the body and sends the first ``sent`` bytes of it."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body[:sent])
        except OSError:
            pass  # the client has seen enough

    def log_message(self, format: str, *args: object) -> None:
        pass


class ScriptedServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Callable[[_Handler], None]] = []
        self.ranges: list[str] = []
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def then_part(self, first: int, end: int, sent: int | None = None) -> None:
        header = {"Content-Range": f"bytes {first}-{end - 1}/{len(OBJECT)}", "ETag": '"1"'}
        self.script.append(lambda handler: handler.send(206, OBJECT[first:end], header, sent))

    def then_whole(self) -> None:
        self.script.append(lambda handler: handler.send(200, OBJECT, {"ETag": '"1"'}))

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self.thread.join()


class S3FaultsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ScriptedServer()
        self.addCleanup(self.server.close)

    def store(self, attempts: int = 3, timeout: str = "5") -> ObjectStore:
        options = {
            "s3.endpoint": f"http://127.0.0.1:{self.server.server_address[1]}",
            "s3.access-key": "AK",
            "s3.secret-key": "SK",
            "s3.request-timeout": timeout,
        }
        store = RetryingStore(S3Store(StreamAddress.parse("s3://bucket/a"), options), attempts, 0.001)
        self.addCleanup(store.close)
        return store

    def assert_right(self, store: ObjectStore) -> None:
        self.assertEqual(bytes(store.read("data/x", FIRST, LENGTH)), RIGHT)

    def then_right(self) -> None:
        self.server.then_part(FIRST, FIRST + LENGTH)

    def test_a_body_that_is_cut_once_is_asked_for_again(self) -> None:
        self.server.then_part(FIRST, FIRST + LENGTH, LENGTH // 2)
        self.then_right()
        self.assert_right(self.store())

    def test_a_body_that_is_always_cut_is_an_error_with_key_and_range(self) -> None:
        for sent in (0, 1, LENGTH - 1):
            self.server.then_part(FIRST, FIRST + LENGTH, sent)
        with self.assertRaisesRegex(StoreError, f"bytes={FIRST}-{FIRST + LENGTH - 1} of 'a/data/x'") as caught:
            self.store().read("data/x", FIRST, LENGTH)
        self.assertTrue(caught.exception.fault.retryable)
        self.assertEqual(len(self.server.ranges), 3)

    def test_the_whole_object_in_place_of_the_range_is_cut_to_it(self) -> None:
        self.server.then_whole()
        self.assert_right(self.store(1))

    def test_the_whole_object_in_place_of_its_end_is_cut_to_it(self) -> None:
        self.server.then_whole()
        data, length = self.store(1).read_suffix("data/x", 1000)
        self.assertEqual((bytes(data), length), (OBJECT[-1000:], len(OBJECT)))

    def test_another_range_of_the_same_length_is_never_taken_for_it(self) -> None:
        for first in (0, FIRST - 1, FIRST + 1):
            self.server.then_part(first, first + LENGTH)
        with self.assertRaises(StoreError) as caught:
            self.store().read("data/x", FIRST, LENGTH)
        self.assertIs(caught.exception.fault, Fault.SHORT_REPLY)
        self.server.then_part(0, LENGTH)
        self.then_right()
        self.assert_right(self.store())

    def test_a_shorter_or_longer_range_is_never_taken_for_it(self) -> None:
        for end in (FIRST + LENGTH - 1, FIRST + LENGTH + 1):
            self.server.then_part(FIRST, end)
        self.then_right()
        self.assert_right(self.store())

    def test_a_part_that_does_not_say_which_is_an_error(self) -> None:
        for header in ("bytes */3000000", "nonsense"):
            self.server.script.append(lambda handler, header=header: handler.send(206, RIGHT, {"Content-Range": header}))
        self.server.script.append(lambda handler: handler.send(206, RIGHT, {}))
        with self.assertRaisesRegex(StoreError, "which says nothing") as caught:
            self.store(3).read("data/x", FIRST, LENGTH)
        self.assertIs(caught.exception.fault, Fault.SHORT_REPLY)

    def test_a_suffix_that_is_not_the_end_is_an_error(self) -> None:
        self.server.then_part(0, 1000)
        with self.assertRaises(StoreError) as caught:
            self.store(1).read_suffix("data/x", 1000)
        self.assertIs(caught.exception.fault, Fault.SHORT_REPLY)

    def test_a_suffix_longer_than_the_object_is_the_object(self) -> None:
        self.server.then_part(0, len(OBJECT))
        data, length = self.store(1).read_suffix("data/x", len(OBJECT) + 1)
        self.assertEqual((len(data), length), (len(OBJECT), len(OBJECT)))

    def test_a_stall_ends_with_the_timeout_and_is_asked_for_again(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)

        def stall(handler: _Handler) -> None:
            header = {"Content-Range": f"bytes {FIRST}-{FIRST + LENGTH - 1}/{len(OBJECT)}"}
            handler.send(206, RIGHT, header, LENGTH // 2)
            handler.wfile.flush()
            over.wait(60)

        self.server.script.append(stall)
        self.then_right()
        self.assert_right(self.store(timeout="0.5"))


if __name__ == "__main__":
    unittest.main()
