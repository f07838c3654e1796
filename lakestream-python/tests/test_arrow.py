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
"""Field fault B41: a slice that the Flink side wrote, read by pyarrow, which knows nothing of it.

The slice lies in the repository; GoldenSliceTest of the connector holds the writer to it.
"""

from __future__ import annotations

import importlib.util
import os
import unittest
from datetime import datetime
from decimal import Decimal

from snippets import arrow_slice

from lakestream.errors import CorruptObjectError, MissingModuleError
from lakestream.slices.arrow import decode_arrow

_GOLDEN = os.path.join(os.path.dirname(__file__), "golden", "rows.arrow")
_ORIGIN = "https://example.org/a/path/that/repeats"
# Looked for without importing it: one that is there and does not import is a failure, and no reason to skip.
_PYARROW = importlib.util.find_spec("pyarrow") is not None


def golden() -> bytes:
    with open(_GOLDEN, "rb") as file:
        return file.read()


@unittest.skipUnless(_PYARROW, "pyarrow is not installed (pip install pyarrow)")
class ArrowTest(unittest.TestCase):
    maxDiff = None

    def test_every_value_is_as_it_was_written(self) -> None:
        table = decode_arrow(memoryview(golden()))
        self.assertEqual(
            table.to_pylist(),
            [
                {
                    "id": 1,
                    "caption": "a cat",
                    "image": b"\x00\xff",
                    "score": 0.5,
                    "kept": True,
                    "tags": [1, None, 3],
                    "box": {"x": 7, "y": "é"},
                    "origin": _ORIGIN,
                    "nothing": None,
                    "price": Decimal("12.34"),
                    "seen_at": datetime(2026, 1, 2, 3, 4, 5, 678000),
                    "marks": [("a", 1)],
                    "empties": [],
                },
                {
                    "id": 2,
                    "caption": "a dog",
                    "image": b"\x01",
                    "score": -1.25,
                    "kept": False,
                    "tags": [],
                    "box": {"x": None, "y": None},
                    "origin": _ORIGIN,
                    "nothing": None,
                    "price": Decimal("-0.01"),
                    "seen_at": datetime(1969, 12, 31, 23, 59, 59, 999000),
                    "marks": [],
                    "empties": [],
                },
                {
                    "id": 3,
                    "caption": "a cat",
                    "image": b"",
                    "score": 1e300,
                    "kept": None,
                    "tags": None,
                    "box": None,
                    "origin": _ORIGIN,
                    "nothing": None,
                    "price": None,
                    "seen_at": None,
                    "marks": None,
                    "empties": [],
                },
                {
                    "id": -4,
                    "caption": None,
                    "image": None,
                    "score": None,
                    "kept": True,
                    "tags": [None],
                    "box": {"x": 8, "y": None},
                    "origin": None,
                    "nothing": None,
                    "price": Decimal("99999999.99"),
                    "seen_at": datetime(1970, 1, 1),
                    "marks": None,
                    "empties": [],
                },
            ],
        )

    def test_the_table_is_valid_and_of_the_types_of_the_columns(self) -> None:
        import pyarrow as pa

        table = arrow_slice.run(golden())
        table.validate(full=True)
        self.assertEqual(table.schema.field("id"), pa.field("id", pa.int64(), nullable=False))
        self.assertEqual(table.schema.field("origin").type, pa.dictionary(pa.int32(), pa.string()))
        self.assertEqual(table.schema.field("price").type, pa.decimal128(10, 2))
        self.assertEqual(table.schema.field("seen_at").type, pa.timestamp("ms"))

    def test_what_follows_the_end_of_the_stream_is_not_looked_at(self) -> None:
        self.assertEqual(decode_arrow(memoryview(golden() + b"an index of columns LKCI")).num_rows, 4)

    def test_an_empty_slice_is_no_table(self) -> None:
        self.assertIsNone(decode_arrow(memoryview(b"")))

    def test_what_is_no_stream_is_damage(self) -> None:
        with self.assertRaisesRegex(CorruptObjectError, "not an Arrow IPC stream"):
            decode_arrow(memoryview(b"\x00" * 64))


@unittest.skipIf(_PYARROW, "pyarrow is installed")
class WithoutArrowTest(unittest.TestCase):
    def test_the_missing_package_is_named(self) -> None:
        with self.assertRaisesRegex(MissingModuleError, "pip install pyarrow"):
            decode_arrow(memoryview(golden()))
