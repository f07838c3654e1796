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
"""Reads Lakestream training streams: global batches on object storage, a slice for each rank.

The core needs the standard library and numpy. ``lakestream.torch`` has the dataset for PyTorch.
"""

from lakestream.consumer.cursor import Cursor
from lakestream.consumer.reader import RankReader, RankStep
from lakestream.consumer.topology import Mode, RefusedError, layout
from lakestream.errors import (
    CorruptObjectError,
    Fault,
    ForeignCursorError,
    GroupTakenError,
    LakestreamError,
    MeshMismatchError,
    MissingModuleError,
    ReadTimeoutError,
    Stage,
    StepBeyondEndError,
    StoreError,
    StreamNotFoundError,
    StreamDroppedError,
    SupersededError,
    TrimmedError,
    UnreadableStepError,
    UnsupportedVersionError,
)
from lakestream.mesh import Mesh
from lakestream.slices.records import RecordSlice
from lakestream.slices.tokens import Tokens
from lakestream.stream import Stream
from lakestream.watermark import Watermark, WatermarkRecorder, group_watermarks, read_watermark

__all__ = [
    "CorruptObjectError", "Cursor", "Fault", "ForeignCursorError", "GroupTakenError", "LakestreamError", "Mesh",
    "MeshMismatchError", "MissingModuleError", "Mode", "RankReader", "RankStep", "ReadTimeoutError", "RecordSlice", "RefusedError", "Stage",
    "StepBeyondEndError", "StoreError", "Stream", "StreamDroppedError", "StreamNotFoundError", "SupersededError", "Tokens",
    "TrimmedError",
    "UnreadableStepError", "UnsupportedVersionError", "Watermark", "WatermarkRecorder", "group_watermarks", "layout",
    "read_watermark",
]  # fmt: skip
