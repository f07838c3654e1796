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
"""A small language model over bytes: a transformer that sees only the tokens of its own document."""

from __future__ import annotations

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        n, length, width = x.shape
        qkv = self.qkv(self.before_attention(x)).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        scores = qkv[0] @ qkv[1].transpose(-1, -2) / (width // self.heads) ** 0.5
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        x = x + self.out((weights @ qkv[2]).transpose(1, 2).reshape(n, length, width))
        return x + self.mlp(self.before_mlp(x))


class ByteModel(nn.Module):
    """Predicts the next byte. ``length`` is the longest sequence."""

    def __init__(self, length: int, width: int = 64, layers: int = 2, heads: int = 4) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(256, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 256)

    def forward(self, tokens: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """Logits [n, length, 256]. Padding (segment 0) sees padding, so that no row of the mask is empty."""
        length = tokens.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        mask = (causal & (segments[:, :, None] == segments[:, None, :]))[:, None]
        x = self.embed(tokens) + self.place(torch.arange(length))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))
