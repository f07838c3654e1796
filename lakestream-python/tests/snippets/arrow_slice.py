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
"""A slice of a table as any reader of Arrow takes it, as docs/sql.md shows it."""

from __future__ import annotations

from typing import Any


def run(slice_bytes: Any) -> Any:
    import pyarrow

    # README:begin
    table = pyarrow.ipc.open_stream(slice_bytes).read_all()
    # README:end
    return table
