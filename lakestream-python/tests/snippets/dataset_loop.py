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
"""A training loop over a dataset, as docs/training.md shows it."""

from __future__ import annotations

from typing import Any, Callable

from torch.utils.data import DataLoader


def run(
    address: str,
    world: int,
    rank: int,
    generation: int,
    checkpoint: dict[str, Any],
    train_on: Callable[..., float],
    checkpoint_is_due: Callable[[int], bool],
    save: Callable[[str], None],
) -> None:
    # README:begin
    from lakestream import Mesh, Stream, WatermarkRecorder
    from lakestream.torch import TrainingDataset

    dataset = TrainingDataset(
        address, mesh=Mesh(dp=world, cp=1), d=rank, c=0, mode="batch", cursor=checkpoint.get("cursor")
    )
    watermarks = WatermarkRecorder(Stream.open(address), "run-7", rank, world, generation=generation, keep=3)
    watermarks.register(dataset.cursor)              # from now on nothing is reclaimed that this rank may ask for

    for item in DataLoader(dataset, batch_size=None):  # one item is one step: this rank's part of it
        train_on(item["tokens"], item["targets"], item["positions"], item["segment_ids"])
        if checkpoint_is_due(item["step"]):
            save(item["cursor"])                       # the cursor belongs into the model's checkpoint
            watermarks.record(dataset.cursor)          # once the checkpoint is durable on all ranks
    # README:end
