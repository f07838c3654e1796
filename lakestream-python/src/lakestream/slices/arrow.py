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
"""The slice format ``arrow``, by pyarrow, which is imported when it is needed."""

from __future__ import annotations

from typing import Any

from lakestream.errors import CorruptObjectError, MissingModuleError


def decode_arrow(data: memoryview, what: str = "A slice of Arrow") -> Any:
    """The rows of a slice as a pyarrow.Table, without copying; None for an empty slice."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingModuleError(
            "Slices of the format 'arrow' need the package 'pyarrow' (pip install pyarrow). Without it their bytes are there:"
            " one Arrow IPC stream for each part."
        ) from None
    if len(data) == 0:
        return None
    try:
        with pa.ipc.open_stream(pa.py_buffer(data)) as reader:
            return reader.read_all()
    except pa.ArrowInvalid as e:
        raise CorruptObjectError(f"{what} is not an Arrow IPC stream: {e}") from e
