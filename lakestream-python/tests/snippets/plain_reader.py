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
"""Reading without PyTorch, as docs/training.md shows it."""

from __future__ import annotations

from typing import Any


def run(address: str, first: int) -> tuple[Any, ...]:
    # README:begin
    from lakestream import Mesh, RankReader, Stream

    with Stream.open(address) as stream:
        with RankReader(stream, Mesh(dp=2, cp=2), d=1, c=0, start=first) as reader:
            step = reader.next()                     # waits for the step to be published
            tokens = step.tokens()                   # views of what was read, nothing copied
            redactions = step.redactions             # what was taken out of the step since
            cursor = reader.cursor.to_text()         # or to_bytes(): 64 bytes
            waits = reader.waits                     # seconds by stage: manifest, new step, lookup, fetch, …
    # README:end
    return step, tokens, redactions, cursor, waits
