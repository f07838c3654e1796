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
"""The same over S3, against a server that the Java side starts."""

from __future__ import annotations

import hashlib
import unittest

import fixture

from lakestream import Fault, Mesh, RankReader, StoreError, Stream, WatermarkRecorder, read_watermark
from lakestream.store import StreamAddress, open_store

try:
    import boto3  # noqa: F401  (whether it is there)
except ImportError:
    raise unittest.SkipTest("boto3 is not installed (apt-get install python3-boto3)") from None


class S3Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.java = fixture.streams()
        cls.address, *options = cls.java.command("s3").split("\t")
        cls.options = dict(option.split("=", 1) for option in options)

    def test_a_stream(self) -> None:
        expected = self.java.expected("s3")
        with Stream.open(self.address, self.options) as stream:
            self.assertEqual(str(stream.id), expected["stream_id"])
            for d, c in ((0, 0), (1, 1)):
                with RankReader(stream, Mesh(2, 2), d, c, end_step=24) as reader:
                    found = [hashlib.sha256(step.payload()).hexdigest() for step in reader]
                self.assertEqual(found, [step["slices"][2 * d + c]["sha256"] for step in expected["steps"]])

    def test_a_watermark(self) -> None:
        with Stream.open(self.address, self.options) as stream:
            with RankReader(stream, Mesh(2, 2), start=3) as reader:
                WatermarkRecorder(stream, "g", 0, 1).register(reader.cursor)
            found = read_watermark(stream, "g", 0)
            assert found is not None
            self.assertEqual(found.step, 3)
            self.assertIn("step=3", self.java.command("watermarks", "s3"))

    def test_faults_have_their_kind(self) -> None:
        store = open_store(self.address, self.options)
        self.addCleanup(store.close)
        with self.assertRaises(StoreError) as missing:
            store.read_suffix("nothing", 10)
        self.assertIs(missing.exception.fault, Fault.MISSING)
        wrong = open_store(self.address, {**self.options, "s3.secret-key": "wrong"})
        self.addCleanup(wrong.close)
        with self.assertRaises(StoreError) as denied:
            wrong.read_suffix("stream", 10)
        self.assertIs(denied.exception.fault, Fault.DENIED)
        self.assertIn("bucket 'training'", str(denied.exception))
        nowhere = open_store("s3://no-such-bucket/x", self.options)
        self.addCleanup(nowhere.close)
        with self.assertRaises(StoreError) as bucket:
            nowhere.read_suffix("stream", 10)
        self.assertIs(bucket.exception.fault, Fault.INVALID)

    def test_listings_are_in_pages_and_order(self) -> None:
        store = open_store(self.address, self.options)
        self.addCleanup(store.close)
        whole = store.list("manifest/", "", 1000)
        self.assertFalse(whole.truncated)
        found: list[str] = []
        while True:
            page = store.list("manifest/", found[-1] if found else "", 2)
            found += page.keys
            if not page.truncated:
                break
        self.assertEqual(found, whole.keys)
        self.assertEqual(found, sorted(found))

    def test_unknown_options(self) -> None:
        with self.assertRaisesRegex(StoreError, "s3.endpont"):
            open_store(self.address, {"s3.endpont": "x"})


class AddressTest(unittest.TestCase):
    def test_one_stream_under_every_spelling(self) -> None:
        for text in ("/data/a b", "file:/data/a b", "file:///data//a b/", "file://localhost/data/a b"):
            self.assertEqual(str(StreamAddress.parse(text)), "file:///data/a b")
        for text in ("s3://bucket/a/b", "s3a://bucket//a/b/", "S3N://bucket/a/b"):
            self.assertEqual(str(StreamAddress.parse(text)), "s3://bucket/a/b")

    def test_names_that_need_escaping_are_taken_literally(self) -> None:
        """Field fault B47: as the Java side reads them (StreamAddressTest)."""
        strange = "a b/c+d/%20/#?=:&~'\"/数据/🚀"
        for text, canonical in (
            (f"/{strange}", f"file:///{strange}"),
            (f"//{strange}//", f"file:///{strange}"),
            (f"file:///{strange}", f"file:///{strange}"),
            (f"s3://my.bucket-1/{strange}/", f"s3://my.bucket-1/{strange}"),
            ("s3://bucket/a\\b", "s3://bucket/a\\b"),
            ("s3://bucket/.hidden/...", "s3://bucket/.hidden/..."),
        ):
            with self.subTest(text=text):
                self.assertEqual(str(StreamAddress.parse(text)), canonical)
                self.assertEqual(str(StreamAddress.parse(canonical)), canonical)
        for text in ("/a/./b", "s3://bucket/a/../b", "C:\\data\\set 1", "C:/data", "file:///C:/data", "\\\\server\\share", "/a\nb", "s3://bucket/a\0"):
            with self.subTest(text=text), self.assertRaises(StoreError) as caught:
                StreamAddress.parse(text)
            self.assertIs(caught.exception.fault, Fault.INVALID)

    def test_addresses_that_cannot_be(self) -> None:
        for text in ("", "data/x", "file:data", "file://host/x", "s3:///x", "s3://", "gs://b/x", "/", "/a/../b", "s3://key:secret@bucket/x"):
            with self.assertRaises(StoreError) as caught:
                StreamAddress.parse(text)
            self.assertIs(caught.exception.fault, Fault.INVALID)
            self.assertNotIn("secret", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
