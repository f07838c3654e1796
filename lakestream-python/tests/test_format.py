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
"""The bytes, against the examples of docs/format.md and docs/slice-formats.md, and the schema against lakestream.proto."""

from __future__ import annotations

import os
import random
import re
import struct
import unittest
import uuid
from unittest import mock

import numpy as np
from snippets import least_reader

from lakestream.errors import CorruptObjectError, MissingModuleError, UnsupportedVersionError
from lakestream.format import compression, crc32c as crc, lz4block, messages
from lakestream.format.bundle import decode_footer, decode_slice, decode_table
from lakestream.format.frame import decode_frame, encode_frame
from lakestream.format.wire import Message, decode, encode
from lakestream.manifest.codec import decode_delta, decode_manifest
from lakestream.slices.records import RecordSlice
from lakestream.slices.tokens import Tokens
from lakestream.watermark import Kept, decode_watermark, encode_watermark

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PROTO = os.path.join(ROOT, "lakestream-core", "src", "main", "proto", "lakestream.proto")
FORMAT = os.path.join(ROOT, "docs", "format.md")


def page(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def fenced(text: str, after: str) -> str:
    """The first fenced block behind a marker."""
    return text[text.index(after) :].split("```")[1]


class CrcTest(unittest.TestCase):
    def test_value_of_the_specification(self) -> None:
        self.assertEqual(crc.crc32c(b"123456789"), 0xE3069283)
        self.assertEqual(crc.crc32c_numpy(b"123456789"), 0xE3069283)

    def test_every_length_agrees_with_one_byte_at_a_time(self) -> None:
        data = random.Random(1).randbytes(3 * 16384 + 64)
        states = [0xFFFFFFFF]
        for byte in data:
            states.append(crc._BYTE_LIST[(states[-1] ^ byte) & 0xFF] ^ (states[-1] >> 8))
        lengths = [*range(300), *range(16380, 16400), *range(32764, 32776), *range(49148, len(data) + 1)]
        for length in lengths:
            self.assertEqual(crc.crc32c_numpy(data[:length]), states[length] ^ 0xFFFFFFFF, length)

    def test_a_view_that_is_not_aligned(self) -> None:
        data = memoryview(random.Random(2).randbytes(100_000))
        self.assertEqual(crc.crc32c_numpy(data[3:]), crc.crc32c_numpy(bytes(data[3:])))


class SchemaTest(unittest.TestCase):
    def test_every_field_is_as_in_the_proto_file(self) -> None:
        text = re.sub(r"//[^\n]*", "", page(PROTO))
        enums = set(re.findall(r"enum (\w+)", text))
        known = [c for c in vars(messages).values() if isinstance(c, type) and issubclass(c, Message) and c is not Message]
        self.assertGreater(len(known), 10)
        for kind in known:
            body = re.search(rf"message {kind.__name__} \{{(.*?)\}}", text, re.S)
            assert body is not None, kind
            declared = {
                int(number): (name, type_, bool(repeated))
                for repeated, type_, name, number in re.findall(
                    r"(repeated\s+)?(map<string, string>|\w+)\s+(\w+)\s*=\s*(\d+)\s*;", body[1]
                )
            }
            for field in kind.FIELDS:
                name, type_, repeated = declared[field.number]
                expected = "map" if type_.startswith("map") else "enum" if type_ in enums else type_
                found = field.kind if isinstance(field.kind, str) else field.kind.__name__
                self.assertEqual((field.name, found, field.repeated), (name, expected, repeated), kind)

    def test_unknown_fields_are_passed_over(self) -> None:
        mesh = encode(messages.Mesh(dp=2, cp=3))
        foreign = b"\xa0\x06\x05" + b"\xaa\x06\x02xy" + b"\xb5\x06abcd" + b"\xb9\x06abcdefgh"
        self.assertEqual(decode(messages.Mesh, foreign + mesh, "m"), messages.Mesh(dp=2, cp=3))

    def test_what_does_not_parse_is_damage(self) -> None:
        for data in (b"\x0a", b"\x0a\x05ab", b"\x08", b"\xff" * 11, b"\x0b", b"\x0a\x01\x00", b"\x35\x00"):
            with self.assertRaises(CorruptObjectError):
                decode(messages.Mesh, data, "m")

    def test_negative_numbers_and_large_ones(self) -> None:
        times = messages.EventTimeRange(min=-1, max=(1 << 63) - 1)
        self.assertEqual(decode(messages.EventTimeRange, encode(times), "m"), times)


class FrameTest(unittest.TestCase):
    STREAM = bytes.fromhex("4c4b5354 01000000 2203726177 05000000 2c504317 4c4b5354")

    def test_example(self) -> None:
        found = decode_frame(self.STREAM, b"LKST", 1, messages.StreamObject, "it")
        self.assertEqual(found, messages.StreamObject(slice_format="raw"))
        self.assertEqual(encode_frame(b"LKST", 1, found), self.STREAM)

    def test_any_changed_byte_is_found(self) -> None:
        for at in range(len(self.STREAM)):
            data = bytearray(self.STREAM)
            data[at] ^= 0x10
            with self.assertRaises((CorruptObjectError, UnsupportedVersionError), msg=str(at)):
                decode_frame(bytes(data), b"LKST", 1, messages.StreamObject, "it")

    def test_cut_off(self) -> None:
        for length in range(len(self.STREAM)):
            with self.assertRaises(CorruptObjectError):
                decode_frame(self.STREAM[:length], b"LKST", 1, messages.StreamObject, "it")

    def test_a_newer_version_is_not_damage(self) -> None:
        data = bytearray(self.STREAM)
        data[4] = 2
        with self.assertRaisesRegex(UnsupportedVersionError, "version 2"):
            decode_frame(bytes(data), b"LKST", 1, messages.StreamObject, "it")


class BundleTest(unittest.TestCase):
    """The example of docs/format.md, byte for byte as the page prints it."""

    @classmethod
    def setUpClass(cls) -> None:
        text = page(FORMAT)
        block = fenced(text[text.index("Mesh 2x1, K = 2") :], "these bytes.")
        digits = ""
        for line in block.splitlines():
            match = re.match(r"\s*\d+ +((?:[0-9a-f]{2,} ?)+)(?:\s|$)", line)
            if match:
                digits += match[1].replace(" ", "")
        cls.object = memoryview(bytes.fromhex(digits))

    def test_footer(self) -> None:
        self.assertEqual(len(self.object), 303)
        footer = decode_footer(self.object[224:], 63, "it")
        self.assertEqual(uuid.UUID(bytes=footer.stream_id), uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"))
        self.assertEqual((footer.mesh, footer.tgb_count, footer.section_lengths), (messages.Mesh(dp=2, cp=1), 2, [112, 104]))
        first = messages.TgbInfo(
            records=1, raw_bytes=3, event_time=messages.EventTimeRange(min=1000, max=2000), attributes={"k": "v"}
        )
        self.assertEqual(footer.tgbs, [first, messages.TgbInfo(records=3, raw_bytes=9)])
        self.assertEqual(footer.slice_format, "raw")

    def test_slices(self) -> None:
        found = []
        for d, (begin, end) in enumerate([(8, 120), (120, 224)]):
            section = self.object[begin:end]
            for entry in decode_table(section, d, 0, 2, end - begin, "it"):
                data = decode_slice(section[entry.offset : entry.offset + entry.stored], entry, "it")
                found.append((bytes(data), entry.records))
        self.assertEqual(found, [(b"abc", 1), (b"defghijk", 2), (b"", 0), (b"z", 1)])

    def test_another_section_is_not_taken_for_it(self) -> None:
        with self.assertRaisesRegex(CorruptObjectError, r"slice \(0, 0\)"):
            decode_table(self.object[8:120], 1, 0, 2, 112, "it")

    def test_any_changed_byte_of_a_table_is_found(self) -> None:
        for at in range(16 + 80):
            data = bytearray(self.object[8:120])
            data[at] ^= 1
            with self.assertRaises(CorruptObjectError, msg=str(at)):
                decode_table(memoryview(data), 0, 0, 2, 112, "it")

    def test_an_entry_that_passes_its_checksum_and_cannot_be(self) -> None:
        for field, value in [(16, 104), (24, 1 << 40), (32, 1), (32, 1 << 40), (48, 3)]:
            data = bytearray(self.object[8:120])
            data[field : field + 8] = struct.pack("<Q", value)
            data[:4] = struct.pack("<I", crc.crc32c(data[4:96]))
            with self.assertRaises(CorruptObjectError, msg=str((field, value))):
                entries = decode_table(memoryview(data), 0, 0, 2, 112, "it")
                decode_slice(memoryview(data)[96:99], entries[0], "it")


class ManifestTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        block = fenced(page(FORMAT)[page(FORMAT).index("Version 2 of a stream") :], "these bytes.")
        cls.object = memoryview(bytes.fromhex("".join(line.split("#")[0].strip() for line in block.splitlines())))

    def test_example(self) -> None:
        manifest = decode_manifest(self.object, "it")
        self.assertEqual((manifest.version, manifest.first_step, manifest.next_step, manifest.next_row), (2, 1, 6, 12))
        assert manifest.sealed is not None
        self.assertEqual((manifest.sealed.object_crc, manifest.sealed.step_count), (0x01020304, 4))
        self.assertEqual([(b.first_step, b.row_of(5), str(b.mesh)) for b in manifest.tail], [(4, 10, "2x1")])

    def test_the_delta_gives_the_manifest(self) -> None:
        manifest = decode_manifest(self.object, "it")
        delta = decode_delta(self.object[-270:], "it")
        assert delta is not None
        # What stood there before: version 1, whose tail was sealed by version 2.
        parent = manifest.__class__(
            manifest.stream_id, 1, b"\x31" * 16, b"\x30" * 16, 1000, 0, 0, 4, 8, manifest.sealed, ()
        )
        self.assertEqual(parent.with_delta(delta, "it").tail, manifest.tail)

    def test_a_suffix_too_short_for_the_delta(self) -> None:
        self.assertIsNone(decode_delta(self.object[-100:], "it"))

    def test_any_changed_byte_is_found(self) -> None:
        for at in range(len(self.object)):
            data = bytearray(self.object)
            data[at] ^= 0x10
            with self.assertRaises((CorruptObjectError, UnsupportedVersionError), msg=str(at)):
                decode_manifest(memoryview(data), "it")
                decode_delta(memoryview(data), "it")


class WatermarkTest(unittest.TestCase):
    def test_example(self) -> None:
        block = fenced(page(FORMAT), "Example: rank 0 of 1 of group `t`")
        data = bytes.fromhex("".join(line.split("  ")[0] for line in block.splitlines()))
        found = decode_watermark(data, "it")
        self.assertEqual((found.group, found.rank, found.world_size, found.step), ("t", 0, 1, 100))
        self.assertEqual(found.kept, (Kept(7, 100), Kept(9, 200)))
        self.assertEqual(encode_watermark(found), data)


class SliceFormatTest(unittest.TestCase):
    RECORDS = bytes.fromhex("616263 02000000 02000000 03000000 03000000 01000000 4c4b5253")
    TOKENS = bytes.fromhex(
        "4c4b5453 01000000 02000000 06000000 00000000 02000000 02000000 09000000"
        "0a00 0b00 0c00 0900 0900 0900 00000000"
        "02000000 05000000 0d000000 00000000"
        "02000000 00000000 ffffffff 00000000"
        "00000000 04000000 0700000000000000"
        "02000000 00000000 0100000000000080"
    )

    def test_records(self) -> None:
        self.assertEqual([bytes(r) for r in RecordSlice(self.RECORDS)], [b"ab", b"", b"c"])
        self.assertEqual(len(RecordSlice(b"")), 0)

    def test_the_least_reader_of_the_documentation_reads_the_same(self) -> None:
        self.assertEqual([bytes(r) for r in least_reader.read_records(self.RECORDS)], [b"ab", b"", b"c"])
        self.assertEqual(least_reader.read_records(b""), [])
        tokens, sequences, boundaries, length, chunk = least_reader.read_tokens(self.TOKENS)
        self.assertEqual(tokens.tolist(), [[10, 11, 12], [9, 9, 9]])
        self.assertEqual(sequences["real"].tolist(), [5, 0])
        self.assertEqual(boundaries["sample_id"].tolist(), [7, (1 << 63) + 1])
        self.assertEqual((length, chunk), (6, 0))
        self.assertIsNone(least_reader.read_tokens(b""))
        for damaged in [self.RECORDS[:-1], self.RECORDS[4:]]:
            with self.assertRaises(ValueError):
                least_reader.read_records(damaged)
        for damaged in [self.TOKENS[:-8], self.TOKENS[4:]]:
            with self.assertRaises(ValueError):
                least_reader.read_tokens(damaged)

    def test_damaged_records(self) -> None:
        for at in list(range(3, len(self.RECORDS))):
            data = bytearray(self.RECORDS)
            data[at] ^= 0x40
            with self.assertRaises((CorruptObjectError, UnsupportedVersionError), msg=str(at)):
                RecordSlice(bytes(data))

    def test_tokens(self) -> None:
        found = Tokens.decode(self.TOKENS)
        self.assertEqual(found.tokens.tolist(), [[10, 11, 12], [9, 9, 9]])
        self.assertEqual(found.targets().tolist(), [[11, -1, 13], [-1, -1, -1]])
        self.assertEqual(found.positions().tolist(), [[4, 5, 0], [0, 0, 0]])
        self.assertEqual(found.segment_ids().tolist(), [[1, 1, 2], [0, 0, 0]])
        self.assertEqual(found.sample_ids().tolist(), [[7, 7, (1 << 63) + 1], [0, 0, 0]])
        self.assertEqual(found.cu_seqlens(0).tolist(), [0, 2, 5, 6])
        self.assertEqual(found.cu_seqlens(1).tolist(), [0, 6])

    def test_tokens_are_views(self) -> None:
        data = bytearray(self.TOKENS)
        self.assertTrue(np.shares_memory(Tokens.decode(memoryview(data)).tokens, np.frombuffer(data, np.uint8)))

    def test_damaged_tokens(self) -> None:
        for at, value in [(0, 0), (4, 0), (8, 200), (12, 0), (16, 2), (20, 0), (24, 3), (48, 9), (52, 9), (64, 1), (80, 1), (96, 0)]:
            data = bytearray(self.TOKENS)
            data[at] = value
            with self.assertRaises(CorruptObjectError, msg=str(at)):
                Tokens.decode(bytes(data))
        with self.assertRaises(UnsupportedVersionError):
            Tokens.decode(self.TOKENS[:4] + b"\x02" + self.TOKENS[5:])


class CompressionTest(unittest.TestCase):
    def test_lz4_blocks_without_the_package(self) -> None:
        self.assertEqual(lz4block.decompress(b"\x50Hello", 5), b"Hello")
        # 4 literals, a match that overlaps itself, and the last 5 literals
        self.assertEqual(lz4block.decompress(b"\x4fabcd\x04\x00\x05" + b"\x50vwxyz", 33), b"abcd" * 7 + b"vwxyz")

    def test_damaged_lz4_blocks(self) -> None:
        good = b"\x4fabcd\x04\x00\x05" + b"\x50vwxyz"
        for data, length in [(good, 32), (good, 34), (good[:5], 33), (good[:6], 33), (good[:7], 33), (b"\x4fabcd\x05\x00\x05", 33), (b"\xf0", 5)]:
            with self.assertRaises(ValueError):
                lz4block.decompress(data, length)

    def test_lz4_agrees_with_the_package(self) -> None:
        try:
            from lz4.block import compress
        except ImportError:
            self.skipTest("lz4 is not installed")
        rng = random.Random(3)
        for size in (1, 12, 13, 100, 5000, 100_000):
            for alphabet in (1, 3, 256):
                data = bytes(rng.randrange(alphabet) for _ in range(size))
                self.assertEqual(lz4block.decompress(compress(data, store_size=False), size), data)

    def test_zstd_without_its_package_says_what_to_install(self) -> None:
        with mock.patch.dict("sys.modules", {"zstandard": None}):
            with self.assertRaisesRegex(MissingModuleError, "zstandard"):
                compression.decompress(compression.ZSTD, memoryview(b"x"), 1, "it")

    def test_zstd_that_states_another_length(self) -> None:
        try:
            import zstandard
        except ImportError:
            self.skipTest("zstandard is not installed")
        stored = memoryview(zstandard.compress(b"a" * 1000))
        self.assertEqual(bytes(compression.decompress(compression.ZSTD, stored, 1000, "it")), b"a" * 1000)
        for length in (999, 1001):
            with self.assertRaises(CorruptObjectError):
                compression.decompress(compression.ZSTD, stored, length, "it")

    def test_an_unknown_compression(self) -> None:
        with self.assertRaisesRegex(CorruptObjectError, "number 7"):
            compression.decompress(7, memoryview(b"x"), 1, "it")


if __name__ == "__main__":
    unittest.main()
