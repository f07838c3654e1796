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
"""A dataset for PyTorch, with the state protocol of torchdata's StatefulDataLoader."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Mapping

import numpy as np

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as e:
    from lakestream.errors import MissingModuleError

    raise MissingModuleError("lakestream.torch needs PyTorch: pip install torch, or apt-get install python3-torch.") from e

from lakestream.consumer.cursor import Cursor
from lakestream.consumer.reader import RankReader, RankStep
from lakestream.errors import LakestreamError
from lakestream.stream import Stream

_FORMAT = 1


def decode_step(step: RankStep) -> dict[str, Any]:
    """What the dataset yields by default.

    ``step`` and ``cursor`` always; beside them, by the slice format: ``tokens``, ``targets`` (-1: none), ``positions`` and
    ``segment_ids``, each int64 [n, width]; ``records``, a list of bytes; ``tables``, of pyarrow; or ``payload``, uint8.
    """
    found: dict[str, Any] = {"step": step.step, "cursor": step.cursor.to_text()}
    if step.slice_format == "tokens":
        tokens = step.tokens()
        found["tokens"] = torch.from_numpy(tokens.tokens.astype(np.int64))
        found["targets"] = torch.from_numpy(tokens.targets())
        found["positions"] = torch.from_numpy(tokens.positions())
        found["segment_ids"] = torch.from_numpy(tokens.segment_ids())
    elif step.slice_format == "records":
        found["records"] = [bytes(record) for record in step.records()]
    elif step.slice_format == "arrow":
        found["tables"] = step.arrow()
    else:
        found["payload"] = torch.from_numpy(np.frombuffer(step.payload(), dtype=np.uint8).copy())
    return found


class TrainingDataset(IterableDataset):  # type: ignore[misc, type-arg]
    """The steps of one rank; one item is one step, so that a DataLoader takes it with ``batch_size=None``.

    ``state_dict`` says where a consumer stands that has consumed the items *yielded* so far, whatever was fetched ahead.

    With workers (``num_workers=W``), worker w yields steps w, w + W, … and a DataLoader, which asks its workers in turn, delivers
    all steps in order. A loader's workers run ahead of the loop. So the state is that of the newest *delivered* item: a
    StatefulDataLoader keeps it; with a plain DataLoader take the item's own ``cursor``. Asking the dataset of the main process
    is refused then. A state taken without workers can be loaded with any number of them, as can a cursor; one of a worker only
    into the same worker of as many. Workers only move decoding out of the training process: the reader has threads of its own.
    """

    def __init__(
        self,
        address: str | os.PathLike[str],
        *,
        options: Mapping[str, str] | None = None,
        cursor: Cursor | bytes | str | None = None,
        start: int | str = "earliest",
        decode: Callable[[RankStep], Any] = decode_step,
        **reader: Any,
    ) -> None:
        """
        :param decode: makes an item of a step; a function that can be pickled, if workers are spawned
        :param reader: mesh, d and c, or rank, world_size, tp, cp and pp; mode, end_step, prefetch_bytes, …: see RankReader

        Opens the stream, so that all workers begin at one place and mistakes are found here.
        """
        super().__init__()
        self._address, self._options = os.fspath(address), dict(options or {})
        self._decode, self._reader = decode, reader
        self._iterated = False
        self._in_workers = torch.zeros(1, dtype=torch.uint8).share_memory_()
        with Stream.open(self._address, self._options) as stream:
            with RankReader(stream, cursor=cursor, start=start, **reader) as opened:
                self._state: dict[str, Any] = {"format": _FORMAT, "cursor": opened.cursor.to_text(), "skip": 0, "workers": 0}

    @property
    def cursor(self) -> Cursor:
        """After the newest item that was yielded; not with workers, see the class."""
        return Cursor.parse(self.state_dict()["cursor"])

    def state_dict(self) -> dict[str, Any]:
        if get_worker_info() is None and not self._iterated and self._in_workers.item():
            raise LakestreamError(
                "This dataset is read by the workers of a DataLoader, which run ahead of the loop: its own state is not where the"
                " loop stands. Keep the 'cursor' of the newest item, or use a StatefulDataLoader and keep its state."
            )
        return dict(self._state)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state; with ``{"cursor": text}`` alone, from a cursor."""
        if state.get("format", _FORMAT) != _FORMAT:
            raise LakestreamError(f"A state of format {state['format']} was written by a newer version of this package.")
        cursor = Cursor.of(state["cursor"])
        self._state = {
            "format": _FORMAT, "cursor": cursor.to_text(), "skip": int(state.get("skip", 0)), "workers": int(state.get("workers", 0))
        }  # fmt: skip

    def __iter__(self) -> Iterator[Any]:
        worker = get_worker_info()
        if worker is None:
            self._iterated = True
        else:
            self._in_workers.fill_(1)
        number, workers = (0, 0) if worker is None else (worker.id, worker.num_workers)
        skip = self._state["skip"]
        if self._state["workers"] != workers:
            if self._state["workers"] != 0:
                raise LakestreamError(
                    f"The state is of one of {self._state['workers']} workers, and this is one of {workers}. Load it with as many,"
                    " or go on from the cursor of the newest item that was delivered."
                )
            skip = number
        stride = max(1, workers)
        with Stream.open(self._address, self._options) as stream:
            with RankReader(stream, cursor=self._state["cursor"], stride=stride, offset=skip, **self._reader) as reader:
                self._state.update(skip=skip, workers=workers)
                for step in reader:
                    item = self._decode(step)
                    self._state.update(cursor=step.cursor.to_text(), skip=stride - 1)
                    yield item
