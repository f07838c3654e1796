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
"""One rank of a training job that reads a Lakestream stream. Started by run.py; RANK and WORLD_SIZE say which rank.

What is to be seen here: the dataset with mode ``batch``, so that the global batch of a step is the same for any number of
ranks; the cursor in the model's checkpoint; the watermark after it; and the resume on another number of ranks.
"""

from __future__ import annotations

import argparse
import hashlib
import os
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch.nn import functional as F
from torch.utils.data import DataLoader

from lakestream import Mesh, RankStep, Stream, WatermarkRecorder
from lakestream.torch import TrainingDataset
from model import ByteModel


def decode(step: RankStep) -> dict[str, Any]:
    """The sequences as tensors, and for the proof a hash of each: which samples, which positions, which tokens."""
    tokens = step.tokens()
    samples, positions = tokens.sample_ids(), tokens.positions()
    hashes = [
        hashlib.sha256(np.stack([samples[i].astype("<i8"), positions[i], tokens.tokens[i].astype("<i8")]).tobytes()).hexdigest()[:16]
        for i in range(len(tokens))
    ]
    return {
        "step": step.step,
        "cursor": step.cursor.to_text(),
        "hashes": hashes,
        "tokens": torch.from_numpy(tokens.tokens.astype(np.int64)),
        "targets": torch.from_numpy(tokens.targets()),
        "segments": torch.from_numpy(tokens.segment_ids()),
    }


def train(options: argparse.Namespace, rank: int, world: int) -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{options.rendezvous}", rank=rank, world_size=world)
    model = ByteModel(options.length)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    checkpoint_path = os.path.join(options.checkpoints, "newest.pt")
    cursor, generation = None, 0
    if os.path.exists(checkpoint_path):
        checkpoint = torch.load(checkpoint_path)
        model.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        cursor = checkpoint["cursor"]
        generation = checkpoint["generation"] + (checkpoint["world"] != world)

    # --8<-- the part that is about Lakestream
    dataset = TrainingDataset(
        options.stream, mesh=Mesh(dp=world, cp=1), d=rank, c=0, mode="batch", cursor=cursor, end_step=options.steps, decode=decode
    )
    stream = Stream.open(options.stream)
    watermarks = WatermarkRecorder(stream, options.group, rank, world, generation=generation, keep=2)
    watermarks.register(dataset.cursor)
    with open(os.path.join(options.log, f"{generation}-{rank}.tsv"), "w", encoding="utf-8") as log:
        for item in DataLoader(dataset, batch_size=None):
            loss = optimizer_step(model, optimizer, item)
            log.write(f"{item['step']}\t{rank}\t{loss!r}\t{','.join(item['hashes'])}\n")
            log.flush()
            if (item["step"] + 1) % options.checkpoint_every == 0:
                if rank == 0:
                    save(checkpoint_path, model, optimizer, cursor=item["cursor"], generation=generation, world=world)
                dist.barrier()  # the checkpoint is there before anybody lets go of older steps
                watermarks.record(dataset.cursor)
    stream.close()
    # --8<--


def optimizer_step(model: ByteModel, optimizer: torch.optim.Optimizer, item: dict[str, Any]) -> float:
    """One step on the global batch: sums over the ranks, so that it does not matter how it was split. Returns its loss."""
    optimizer.zero_grad()
    if len(item["tokens"]):
        logits = model(item["tokens"], item["segments"])
        loss = F.cross_entropy(logits.flatten(0, 1), item["targets"].flatten(), ignore_index=-1, reduction="sum")
    else:  # fewer sequences than ranks
        loss = sum(p.sum() for p in model.parameters()) * 0.0
    loss.backward()
    summed = torch.cat([p.grad.flatten() for p in model.parameters()])
    told = torch.tensor([float(loss), float((item["targets"] >= 0).sum())], dtype=torch.float64)
    dist.all_reduce(summed)
    dist.all_reduce(told)
    count = max(1.0, told[1].item())
    at = 0
    for p in model.parameters():
        p.grad.copy_(summed[at : at + p.numel()].view_as(p) / count)
        at += p.numel()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return told[0].item() / count


def save(path: str, model: ByteModel, optimizer: torch.optim.Optimizer, **more: Any) -> None:
    """Whole or not at all: a rank may be killed at any moment."""
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), **more}, path + ".part")
    os.replace(path + ".part", path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("stream", "checkpoints", "log", "rendezvous", "group"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("steps", "checkpoint-every", "length"):
        parser.add_argument(f"--{name}", type=int, required=True)
    train(parser.parse_args(), int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))


if __name__ == "__main__":
    main()
