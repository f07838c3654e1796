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
"""The dataset, by itself, in DataLoaders with and without workers, and by the protocol of StatefulDataLoader."""

from __future__ import annotations

import pickle
import unittest
import warnings
from typing import Any

import fixture

from lakestream import Cursor, LakestreamError, Mesh

try:
    import torch
    from torch.utils.data import DataLoader

    from lakestream.torch import TrainingDataset
except (ImportError, LakestreamError):
    raise unittest.SkipTest("PyTorch is not installed (apt-get install python3-torch)") from None


class DatasetTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.java = fixture.streams()

    def dataset(self, **settings: Any) -> TrainingDataset:
        settings = {"mesh": Mesh(2, 1), "mode": "batch", "end_step": 22, "poll_interval": 0.02, "timeout": 20.0, **settings}
        return TrainingDataset(self.java.address("records"), **settings)

    def items(self, loader: Any) -> list[tuple[int, list[bytes]]]:
        return [(item["step"], item["records"]) for item in loader]

    def test_tokens_become_tensors(self) -> None:
        item = next(iter(TrainingDataset(self.java.address("tokens"), mesh=Mesh(2, 2))))
        expected = self.java.expected("tokens")["steps"][0]["slices"][0]["tokens"]
        for key, name in (("tokens", "tokens"), ("targets", "targets"), ("positions", "positions"), ("segment_ids", "segments")):
            self.assertEqual(item[key].dtype, torch.int64)
            self.assertEqual(item[key].tolist(), [sequence[name] for sequence in expected])
        payload = next(iter(TrainingDataset(self.java.address("raw-even"), mesh=Mesh(3, 1))))["payload"]
        self.assertEqual((payload.dtype, len(payload)), (torch.uint8, 1000))

    def test_any_number_of_workers_delivers_the_steps_in_order(self) -> None:
        expected = self.items(self.dataset())
        self.assertEqual([step for step, _ in expected], list(range(22)))
        warnings.filterwarnings("ignore", "This DataLoader will create")  # more workers than there are cores
        for workers in (0, 1, 3):
            loader = DataLoader(self.dataset(), batch_size=None, num_workers=workers)
            self.assertEqual(self.items(loader), expected, workers)

    def test_state_follows_what_was_yielded(self) -> None:
        expected = self.items(self.dataset())
        dataset = self.dataset()
        iterator = iter(dataset)
        for _ in range(5):
            item = next(iterator)
        self.assertEqual(dataset.state_dict()["cursor"], item["cursor"])
        self.assertEqual(dataset.cursor.step, 5)
        state = pickle.loads(pickle.dumps(dataset.state_dict()))
        iterator.close()
        resumed = self.dataset()
        resumed.load_state_dict(state)
        self.assertEqual(self.items(resumed), expected[5:])

    def test_the_cursor_of_an_item_resumes_a_plain_loader_with_workers(self) -> None:
        expected = self.items(self.dataset())
        iterator = iter(DataLoader(self.dataset(), batch_size=None, num_workers=2))
        for _ in range(7):
            item = next(iterator)
        del iterator
        for workers in (0, 3):
            resumed = self.dataset(cursor=item["cursor"])
            self.assertEqual(self.items(DataLoader(resumed, batch_size=None, num_workers=workers)), expected[7:])

    def test_the_state_of_a_plain_loader_with_workers_is_refused(self) -> None:
        dataset = self.dataset()
        dataset.state_dict()  # before anything was read it is right
        iterator = iter(DataLoader(dataset, batch_size=None, num_workers=2))
        next(iterator)
        with self.assertRaisesRegex(LakestreamError, "cursor"):
            dataset.state_dict()
        del iterator

    def test_the_protocol_of_a_stateful_loader_with_workers(self) -> None:
        """Such a loader keeps, with each item, the state that the dataset of its worker had after it; it goes on with the
        worker after the one that delivered last, and gives each worker its own state."""
        expected = self.items(self.dataset())
        for delivered in (0, 1, 2, 7, 9):
            loader = _Stateful(self.dataset, workers=3)
            head = [next(loader) for _ in range(delivered)]
            loader.run_ahead(2)
            resumed = _Stateful(self.dataset, workers=3, snapshot=pickle.loads(pickle.dumps(loader.snapshot)))
            self.assertEqual(self.items(head) + self.items(resumed), expected, delivered)

    def test_a_worker_state_is_refused_by_another_number_of_workers(self) -> None:
        loader = _Stateful(self.dataset, workers=3)
        next(loader)
        resumed = self.dataset()
        resumed.load_state_dict(loader.snapshot["states"][0])
        with self.assertRaisesRegex(LakestreamError, "one of 3 workers"):
            next(iter(resumed))

    def test_a_cursor_alone_is_a_state(self) -> None:
        dataset = self.dataset()
        iterator = iter(dataset)
        cursor = Cursor.parse(next(iterator)["cursor"])
        iterator.close()
        resumed = self.dataset()
        resumed.load_state_dict({"cursor": cursor.to_bytes()})
        self.assertEqual(next(iter(resumed))["step"], 1)


class _Stateful:
    """What torchdata's StatefulDataLoader does with the datasets of its workers, in one process."""

    def __init__(self, dataset: Any, workers: int, snapshot: dict[str, Any] | None = None) -> None:
        self._datasets = []
        self._iterators = []
        self._buffers: list[list[Any]] = [[] for _ in range(workers)]
        self._turn = 0
        for w in range(workers):
            copy = dataset()
            with _as_worker(w, workers):
                if snapshot and snapshot["states"][w] is not None:
                    copy.load_state_dict(snapshot["states"][w])
                self._iterators.append(iter(copy))
            self._datasets.append(copy)
        if snapshot:
            self._turn = snapshot["turn"]
        self.snapshot = snapshot or {"turn": 0, "states": [None] * workers}
        self._workers = workers

    def _fetch(self, w: int) -> None:
        with _as_worker(w, self._workers):
            item = next(self._iterators[w], None)
            self._buffers[w].append((item, self._datasets[w].state_dict()))

    def run_ahead(self, items: int) -> None:
        for w in range(self._workers):
            for _ in range(items):
                self._fetch(w)

    def __iter__(self) -> "_Stateful":
        return self

    def __next__(self) -> Any:
        w = self._turn
        if not self._buffers[w]:
            self._fetch(w)
        item, state = self._buffers[w].pop(0)
        if item is None:
            raise StopIteration
        self._turn = (w + 1) % self._workers
        states = list(self.snapshot["states"])
        states[w] = state
        self.snapshot = {"turn": self._turn, "states": states}
        return item


class _as_worker:
    def __init__(self, number: int, workers: int) -> None:
        self._info = type("Info", (), {"id": number, "num_workers": workers})()

    def __enter__(self) -> None:
        torch.utils.data._utils.worker._worker_info = self._info

    def __exit__(self, *unused: object) -> None:
        torch.utils.data._utils.worker._worker_info = None


if __name__ == "__main__":
    unittest.main()
