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
"""Measures how fast a rank reads: PYTHONPATH=src python3 throughput.py ADDRESS, over all steps of slice (0, 0).

Alternates between the checksums of the installed module and those of numpy; the bytes are in the page cache after the first run.
"""

from __future__ import annotations

import argparse
import time

from lakestream import RankReader, Stream
from lakestream.format import crc32c


def read(stream: Stream) -> float:
    """Megabytes of payload a second."""
    begin, moved = time.perf_counter(), 0
    with RankReader(stream, stream.default_mesh, 0, 0, end_step=stream.manifest.next_step) as reader:
        for step in reader:
            moved += sum(len(data) for data in step.slices)
    return moved / (time.perf_counter() - begin) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    implementations = {crc32c.IMPLEMENTATION: crc32c._compute, "numpy": crc32c.crc32c_numpy}
    found: dict[str, list[float]] = {name: [] for name in implementations}
    with Stream.open(options.address) as stream:
        read(stream)
        for _ in range(options.rounds):
            for name, compute in implementations.items():
                crc32c._compute = compute
                found[name].append(read(stream))
    for name, rates in found.items():
        print(f"{name}: {min(rates):.0f} to {max(rates):.0f} MB/s, median {sorted(rates)[len(rates) // 2]:.0f}")


if __name__ == "__main__":
    main()
