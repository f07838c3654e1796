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
"""The loop of the README."""

from __future__ import annotations

from typing import Any, Callable

from torch.utils.data import DataLoader

from lakestream import Mesh
from lakestream.torch import TrainingDataset


def run(
    address: str,
    world: int,
    rank: int,
    checkpoint: dict[str, Any],
    train_on: Callable[..., None],
    save_if_due: Callable[..., None],
) -> None:
    # README:begin
    dataset = TrainingDataset(address, mesh=Mesh(dp=world, cp=1), d=rank, mode="batch", cursor=checkpoint.get("cursor"))
    for item in DataLoader(dataset, batch_size=None):  # one item is one step: this rank's part of it
        train_on(item["tokens"], item["targets"])
        save_if_due(cursor=item["cursor"])             # resumes at the exact step, on any number of ranks
    # README:end
