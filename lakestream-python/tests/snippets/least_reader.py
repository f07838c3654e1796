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
"""The least that reads slices, as docs/slice-formats.md shows it."""

# README:begin
import numpy as np

def read_records(slice_bytes):
    b = memoryview(slice_bytes)
    if len(b) == 0:
        return []
    if len(b) < 12 or bytes(b[-4:]) != b"LKRS":
        raise ValueError("not a slice of records")
    n, version = (int(v) for v in np.frombuffer(b, "<u4", 2, len(b) - 12))
    table = len(b) - 12 - 4 * n
    if version != 1 or table < 0:
        raise ValueError("a version that is not known here, or damage")
    ends = [0] + np.frombuffer(b, "<u4", n, table).tolist()
    if ends[-1] != table or any(x > y for x, y in zip(ends, ends[1:])):
        raise ValueError("damaged")
    return [b[x:y] for x, y in zip(ends, ends[1:])]

SEQUENCE = np.dtype([("end", "<u4"), ("real", "<u4"), ("following", "<u4"), ("zero", "<u4")])
BOUNDARY = np.dtype([("start", "<u4"), ("first_position", "<u4"), ("sample_id", "<u8")])

def read_tokens(slice_bytes):
    """Returns (tokens [n, L/C], sequences [n], boundaries, L, c), arrays without copying; None for an empty slice."""
    b = memoryview(slice_bytes)
    if len(b) == 0:
        return None
    if len(b) < 32 or bytes(b[:4]) != b"LKTS":
        raise ValueError("not a slice of tokens")
    version, n, length, chunk, chunks, width, pad = (int(v) for v in np.frombuffer(b, "<u4", 7, 4))
    if version != 1 or chunks == 0 or length % chunks or chunk >= chunks or width not in (2, 4):
        raise ValueError("a version that is not known here, or damage")
    per_chunk = length // chunks
    table = (32 + n * per_chunk * width + 7) // 8 * 8
    if table + 16 * n > len(b):
        raise ValueError("damaged")
    tokens = np.frombuffer(b, f"<u{width}", n * per_chunk, 32).reshape(n, per_chunk)
    sequences = np.frombuffer(b, SEQUENCE, n, table)
    boundaries = np.frombuffer(b, BOUNDARY, offset=table + 16 * n)
    if len(boundaries) != (sequences["end"][-1] if n else 0):
        raise ValueError("damaged")
    return tokens, sequences, boundaries, length, chunk
# README:end
