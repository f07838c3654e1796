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
"""Cursors: golden bytes of both formats, and damage."""

from __future__ import annotations

import unittest
import uuid

from lakestream import CorruptObjectError, Cursor, LakestreamError, Mesh, Mode, UnsupportedVersionError

STREAM = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")


class CursorTest(unittest.TestCase):
    """The bytes and texts are those of CursorTest in Java."""

    CURSOR = Cursor(STREAM, 42, 81_200, 162_401, Mesh(2, 4), Mode.ROWS)
    BYTES = (
        "4c4b43550200000000112233445566778899aabbccddeeff2a00000000000000303d010000000000617a020000000000020000000400000001000000"
        "875f1703"
    )
    TEXT = f"lakestream-cursor:2:{STREAM}:v42:s81200:r162401:2x4:rows:3fbf1cc3"
    OLD = Cursor(STREAM, 42, 81_200, None, Mesh(2, 4), Mode.EXACT)
    OLD_BYTES = "4c4b43550100000000112233445566778899aabbccddeeff2a00000000000000303d0100000000000200000004000000b7f6927c"
    OLD_TEXT = f"lakestream-cursor:1:{STREAM}:v42:s81200:2x4:ba53b02f"

    def test_golden_bytes(self) -> None:
        self.assertEqual(self.CURSOR.to_bytes().hex(), self.BYTES)
        self.assertEqual(Cursor.from_bytes(bytes.fromhex(self.BYTES)), self.CURSOR)

    def test_golden_text(self) -> None:
        self.assertEqual(self.CURSOR.to_text(), self.TEXT)
        self.assertEqual(Cursor.parse(f"  {self.TEXT}\n"), self.CURSOR)

    def test_format_1_is_read_and_written_as_it_was(self) -> None:
        self.assertEqual(Cursor.from_bytes(bytes.fromhex(self.OLD_BYTES)), self.OLD)
        self.assertEqual(Cursor.parse(self.OLD_TEXT), self.OLD)
        self.assertEqual((self.OLD.to_bytes().hex(), self.OLD.to_text()), (self.OLD_BYTES, self.OLD_TEXT))

    def test_any_changed_byte_is_found(self) -> None:
        data = self.CURSOR.to_bytes()
        for at in range(len(data)):
            changed = bytearray(data)
            changed[at] ^= 4
            with self.assertRaises((CorruptObjectError, UnsupportedVersionError), msg=str(at)):
                Cursor.from_bytes(bytes(changed))
        with self.assertRaises(CorruptObjectError):
            Cursor.from_bytes(data[:-1])
        for damaged in (self.CURSOR.to_text().replace("s81200", "s81201"), "x", "lakestream-cursor:3:abc"):
            with self.assertRaises(CorruptObjectError):
                Cursor.parse(damaged)

    def test_ranks_must_stand_at_one_place(self) -> None:
        later = Cursor(STREAM, 43, 81_200, 162_401, Mesh(2, 4), Mode.ROWS)
        self.assertEqual(Cursor.agreed([later, self.CURSOR]), self.CURSOR)
        with self.assertRaisesRegex(LakestreamError, "rank 1"):
            Cursor.agreed([self.CURSOR, Cursor(STREAM, 42, 81_201, 162_402, Mesh(2, 4), Mode.ROWS)])
        with self.assertRaisesRegex(LakestreamError, "rank 1"):
            Cursor.agreed([self.CURSOR, None])


if __name__ == "__main__":
    unittest.main()
