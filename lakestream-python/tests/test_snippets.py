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
"""The code of the documentation runs."""

from __future__ import annotations

import unittest
from typing import Any

import fixture
from snippets import plain_reader

from lakestream import Cursor, LakestreamError

try:
    import torch  # noqa: F401
except (ImportError, LakestreamError):
    torch = None


class Enough(Exception):
    pass


class PlainReaderTest(unittest.TestCase):
    def test_the_reader_gives_a_step(self) -> None:
        java = fixture.streams()
        step, tokens, redactions, cursor, waits = plain_reader.run(java.address("tokens"), 1)
        self.assertEqual(step.step, 1)
        self.assertGreater(len(tokens.tokens), 0)
        self.assertEqual(list(redactions), [])
        self.assertEqual(Cursor.parse(cursor).step, 2)
        self.assertTrue(waits)


@unittest.skipIf(torch is None, "PyTorch is not installed (apt-get install python3-torch)")
class LoopTest(unittest.TestCase):
    def test_the_loops_train_and_save(self) -> None:
        from snippets import dataset_loop, readme_loop

        address = fixture.streams().address("tokens")
        saved: list[str] = []
        trained: list[Any] = []

        def train(*batch: Any) -> float:
            trained.append(batch)
            return 0.0

        def save(cursor: str) -> None:
            saved.append(cursor)
            raise Enough

        with self.assertRaises(Enough):
            readme_loop.run(address, 2, 0, {}, train, save)
        with self.assertRaises(Enough):
            dataset_loop.run(address, 1, 0, 2, {"cursor": saved[0]}, train, lambda step: step == 1, save)
        self.assertEqual([Cursor.parse(cursor).step for cursor in saved], [1, 2])
        self.assertEqual([len(batch) for batch in trained], [2, 4])
