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
"""The pure functions, held to the vectors that hold the Java implementation too."""

from __future__ import annotations

import json
import os
import unittest
from typing import Any

from lakestream.consumer.topology import Mode, Part, RefusedError, Shape, Topology, layout, place_of_row
from lakestream.errors import LakestreamError
from lakestream.mesh import Mesh

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VECTORS = os.path.join(
    ROOT, "lakestream-core", "src", "test", "resources", "dev", "lakestream", "consumer", "topology-vectors.json"
)


class _Bundle:
    def __init__(self, described: dict[str, Any]) -> None:
        self.first_step, self.first_row = described["first_step"], described["first_row"]
        self.mesh = Mesh(*described["mesh"])
        self.records = described["records"]
        self.next_step = self.first_step + len(self.records)
        self.next_row = self.first_row + len(self.records) * self.mesh.dp

    def row_of(self, step: int) -> int:
        return self.first_row + (step - self.first_step) * self.mesh.dp


class VectorsTest(unittest.TestCase):
    """Walks the legs of each case as docs/topology.md says, without the reader."""

    def test_all_cases(self) -> None:
        with open(VECTORS, encoding="utf-8") as file:
            vectors = json.load(file)
        self.assertEqual(vectors["format"], 2)
        self.assertEqual(vectors["part_fields"], list(Part._fields))
        self.assertGreater(len(vectors["cases"]), 100)
        for case in vectors["cases"]:
            with self.subTest(case["name"]):
                self._case(case)

    def _case(self, case: dict[str, Any]) -> None:
        bundles = [_Bundle(b) for b in case["bundles"]]
        shape = Shape.of(case["slice_format"])
        step, row, saved = 0, 0, Mesh(1, 1)
        for leg in case["legs"]:
            mode, mesh = Mode.named(leg["mode"]), Mesh(*leg["mesh"])
            ranks = [Topology(mode, shape, mesh, d, c) for d in range(mesh.dp) for c in range(mesh.cp)]
            refused = leg["refused"] or {}
            if leg["from_step"] is not None:
                step = leg["from_step"]
                holder = next((b for b in bundles if b.first_step <= step < b.next_step), None)
                row = holder.row_of(step) if holder else bundles[-1].next_row
            else:
                holder = next((b for b in bundles if b.first_step <= step < b.next_step), None)
                first_row = holder.row_of(step) if holder else bundles[-1].next_row
                try:
                    for rank in ranks:
                        rank.check_resume(saved, step, row, first_row, holder.mesh if holder else None)
                except RefusedError as e:
                    self.assertEqual((refused.get("when"), refused.get("reason")), ("resume", e.refusal.value))
                    return
                self.assertNotEqual(refused.get("when"), "resume")
            self.assertEqual(leg["begins_at"], {"step": step, "row": row})
            for expected in leg["consumer_steps"]:
                self.assertEqual([self._parts(case, rank, bundles, step, row) for rank in ranks], expected)
                step, row = self._after(mode, mesh, bundles, step, row)
            if refused.get("when") == "step":
                self.assertEqual({self._reason(case, rank, bundles, step, row) for rank in ranks}, {refused["reason"]})
                return
            if leg["take"] is None:
                self.assertFalse(self._exists(mode, mesh, bundles, step, row))
            self.assertEqual(leg["ends_at"], {"step": step, "row": row})
            saved = mesh

    def _exists(self, mode: Mode, mesh: Mesh, bundles: list[_Bundle], step: int, row: int) -> bool:
        return row + mesh.dp <= bundles[-1].next_row if mode is Mode.ROWS else step < bundles[-1].next_step

    def _after(self, mode: Mode, mesh: Mesh, bundles: list[_Bundle], step: int, row: int) -> tuple[int, int]:
        if mode is Mode.ROWS:
            row += mesh.dp
            holder = next((b for b in bundles if row < b.next_row), None)
            if holder is None:
                return bundles[-1].next_step, row
            return place_of_row(holder.first_step, holder.first_row, holder.mesh, row)[0], row
        step += 1
        holder = next((b for b in bundles if step < b.next_step), None)
        return step, holder.row_of(step) if holder else bundles[-1].next_row

    def _parts(self, case: dict[str, Any], rank: Topology, bundles: list[_Bundle], step: int, row: int) -> list[list[Any]]:
        if rank.mode is Mode.ROWS:
            for other in range(row, row + rank.mesh.dp):
                rank.check(next(b for b in bundles if other < b.next_row).mesh)
            bundle = next(b for b in bundles if row + rank.d < b.next_row)
            step, replica = place_of_row(bundle.first_step, bundle.first_row, bundle.mesh, row + rank.d)
        else:
            bundle = next(b for b in bundles if step < b.next_step)
        held = bundle.records[step - bundle.first_step]
        if rank.mode is Mode.ROWS:
            parts = rank.of_row(step, replica, bundle.mesh, lambda d, c: held[d][c])
        else:
            parts = rank.of_step(step, bundle.mesh, lambda d, c: held[d][c])
        if case["sequence_length"]:
            parts = rank.cut_columns(parts, bundle.mesh, case["sequence_length"])
        return [list(part) for part in parts]

    def _reason(self, case: dict[str, Any], rank: Topology, bundles: list[_Bundle], step: int, row: int) -> str | None:
        try:
            self._parts(case, rank, bundles, step, row)
            return None
        except RefusedError as e:
            return e.refusal.value


class LayoutTest(unittest.TestCase):
    def test_tp_runs_fastest_then_cp_dp_pp(self) -> None:
        found = [layout(rank, 16, tp=2, cp=2, pp=2) for rank in range(16)]
        self.assertEqual(found[:8], [(Mesh(2, 2), d, c) for d in (0, 1) for c in (0, 1) for _ in (0, 1)])
        self.assertEqual(found[8:], found[:8])

    def test_a_world_that_does_not_divide(self) -> None:
        with self.assertRaisesRegex(LakestreamError, "multiple"):
            layout(0, 6, tp=4)
        with self.assertRaisesRegex(LakestreamError, "no rank 6"):
            layout(6, 6)


if __name__ == "__main__":
    unittest.main()
