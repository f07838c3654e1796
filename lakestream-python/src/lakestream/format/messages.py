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
"""The messages of lakestream.proto. A test holds them to that file."""

from __future__ import annotations

from lakestream.format.wire import Field, Message


class Mesh(Message):
    FIELDS = (
        Field(1, "dp", "uint32"),
        Field(2, "cp", "uint32"),
    )
    dp: int
    cp: int


class StreamObject(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "created_at", "int64"),
        Field(3, "default_mesh", Mesh),
        Field(4, "slice_format", "string"),
        Field(5, "schema", "string"),
        Field(6, "options", "map"),
    )
    stream_id: bytes
    created_at: int
    default_mesh: Mesh | None
    slice_format: str
    schema: str
    options: dict[str, str]


class EventTimeRange(Message):
    FIELDS = (
        Field(1, "min", "int64"),
        Field(2, "max", "int64"),
    )
    min: int
    max: int


class TgbInfo(Message):
    FIELDS = (
        Field(1, "records", "uint64"),
        Field(2, "raw_bytes", "uint64"),
        Field(3, "event_time", EventTimeRange),
        Field(4, "attributes", "map"),
        Field(5, "uniform_slice_records", "uint32"),
    )
    records: int
    raw_bytes: int
    event_time: EventTimeRange | None
    attributes: dict[str, str]
    uniform_slice_records: int


class BundleFooter(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "mesh", Mesh),
        Field(3, "tgb_count", "uint32"),
        Field(4, "section_lengths", "uint64", repeated=True),
        Field(5, "tgbs", TgbInfo, repeated=True),
        Field(6, "slice_format", "string"),
    )
    stream_id: bytes
    mesh: Mesh | None
    tgb_count: int
    section_lengths: list[int]
    tgbs: list[TgbInfo]
    slice_format: str


class Redaction(Message):
    FIELDS = (
        Field(1, "tgb", "uint32"),
        Field(2, "records", "uint64"),
        Field(3, "redacted_at", "int64"),
        Field(4, "reason", "string"),
    )
    tgb: int
    records: int
    redacted_at: int
    reason: str


class BundleDescriptor(Message):
    FIELDS = (
        Field(1, "object", "string"),
        Field(2, "object_length", "uint64"),
        Field(3, "footer_offset", "uint64"),
        Field(4, "footer_length", "uint32"),
        Field(5, "first_step", "uint64"),
        Field(6, "tgb_count", "uint32"),
        Field(7, "first_row", "uint64"),
        Field(8, "mesh", Mesh),
        Field(9, "records", "uint64"),
        Field(10, "raw_bytes", "uint64"),
        Field(11, "producer_id", "string"),
        Field(12, "sequence", "uint64"),
        Field(13, "event_time", EventTimeRange),
        Field(14, "attributes", "map"),
        Field(15, "section_stride", "uint64"),
        Field(16, "version", "uint64"),
        Field(17, "published_at", "int64"),
        Field(18, "redactions", Redaction, repeated=True),
    )
    object: str
    object_length: int
    footer_offset: int
    footer_length: int
    first_step: int
    tgb_count: int
    first_row: int
    mesh: Mesh | None
    records: int
    raw_bytes: int
    producer_id: str
    sequence: int
    event_time: EventTimeRange | None
    attributes: dict[str, str]
    section_stride: int
    version: int
    published_at: int
    redactions: list[Redaction]


class SegmentRef(Message):
    FIELDS = (
        Field(1, "object", "string"),
        Field(2, "object_length", "uint32"),
        Field(3, "object_crc", "fixed32"),
        Field(4, "level", "uint32"),
        Field(5, "first_step", "uint64"),
        Field(6, "step_count", "uint64"),
        Field(7, "first_row", "uint64"),
        Field(8, "row_count", "uint64"),
        Field(9, "bundles", "uint64"),
        Field(10, "records", "uint64"),
        Field(11, "raw_bytes", "uint64"),
        Field(12, "event_time", EventTimeRange),
    )
    object: str
    object_length: int
    object_crc: int
    level: int
    first_step: int
    step_count: int
    first_row: int
    row_count: int
    bundles: int
    records: int
    raw_bytes: int
    event_time: EventTimeRange | None


class Segment(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "version", "uint64"),
        Field(3, "level", "uint32"),
        Field(4, "descriptors", BundleDescriptor, repeated=True),
        Field(5, "children", SegmentRef, repeated=True),
    )
    stream_id: bytes
    version: int
    level: int
    descriptors: list[BundleDescriptor]
    children: list[SegmentRef]


class Owner(Message):
    FIELDS = (
        Field(1, "owner_id", "bytes"),
        Field(2, "lineage_id", "bytes"),
        Field(3, "job_name", "string"),
        Field(4, "taken_over_at", "int64"),
    )
    owner_id: bytes
    lineage_id: bytes
    job_name: str
    taken_over_at: int


class Lineage(Message):
    FIELDS = (
        Field(1, "lineage_id", "bytes"),
        Field(2, "sequence", "uint64"),
        Field(3, "published_by", "bytes"),
        Field(4, "last_commit_version", "uint64"),
        Field(5, "position", "bytes"),
        Field(6, "next_step", "uint64"),
    )
    lineage_id: bytes
    sequence: int
    published_by: bytes
    last_commit_version: int
    position: bytes
    next_step: int


class ProducerEntry(Message):
    FIELDS = (
        Field(1, "producer_id", "string"),
        Field(2, "owners", Owner, repeated=True),
        Field(3, "lineages", Lineage, repeated=True),
        Field(4, "updated_at", "int64"),
        Field(5, "forgotten_owners", "uint32"),
        Field(6, "forgotten_marks", "bytes"),
    )
    producer_id: str
    owners: list[Owner]
    lineages: list[Lineage]
    updated_at: int
    forgotten_owners: int
    forgotten_marks: bytes


class Manifest(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "version", "uint64"),
        Field(3, "commit_id", "bytes"),
        Field(4, "parent_version", "uint64"),
        Field(5, "parent_commit_id", "bytes"),
        Field(6, "created_at", "int64"),
        Field(7, "first_step", "uint64"),
        Field(8, "first_row", "uint64"),
        Field(9, "next_step", "uint64"),
        Field(10, "next_row", "uint64"),
        Field(11, "sealed", SegmentRef),
        Field(12, "tail", BundleDescriptor, repeated=True),
        Field(13, "producers", ProducerEntry, repeated=True),
        Field(14, "total_records", "uint64"),
        Field(15, "total_raw_bytes", "uint64"),
        Field(16, "operation", "string"),
        Field(17, "dropped", "bool"),
    )
    stream_id: bytes
    version: int
    commit_id: bytes
    parent_version: int
    parent_commit_id: bytes
    created_at: int
    first_step: int
    first_row: int
    next_step: int
    next_row: int
    sealed: SegmentRef | None
    tail: list[BundleDescriptor]
    producers: list[ProducerEntry]
    total_records: int
    total_raw_bytes: int
    operation: str
    dropped: bool


class ManifestDelta(Message):
    FIELDS = (
        Field(1, "version", "uint64"),
        Field(2, "commit_id", "bytes"),
        Field(3, "parent_commit_id", "bytes"),
        Field(4, "created_at", "int64"),
        Field(5, "first_step", "uint64"),
        Field(6, "first_row", "uint64"),
        Field(7, "next_step", "uint64"),
        Field(8, "next_row", "uint64"),
        Field(9, "appended", BundleDescriptor, repeated=True),
        Field(10, "sealed_changed", "bool"),
        Field(11, "sealed", SegmentRef),
        Field(12, "tail_first_step", "uint64"),
        Field(13, "producers", ProducerEntry, repeated=True),
        Field(14, "retired_producers", "string", repeated=True),
        Field(15, "total_records", "uint64"),
        Field(16, "total_raw_bytes", "uint64"),
        Field(17, "operation", "string"),
    )
    version: int
    commit_id: bytes
    parent_commit_id: bytes
    created_at: int
    first_step: int
    first_row: int
    next_step: int
    next_row: int
    appended: list[BundleDescriptor]
    sealed_changed: bool
    sealed: SegmentRef | None
    tail_first_step: int
    producers: list[ProducerEntry]
    retired_producers: list[str]
    total_records: int
    total_raw_bytes: int
    operation: str


class KeptCursor(Message):
    FIELDS = (
        Field(1, "version", "uint64"),
        Field(2, "step", "uint64"),
    )
    version: int
    step: int


class WatermarkObject(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "group", "string"),
        Field(3, "rank", "uint32"),
        Field(4, "world_size", "uint32"),
        Field(5, "generation", "uint64"),
        Field(6, "version", "uint64"),
        Field(7, "step", "uint64"),
        Field(8, "mesh", Mesh),
        Field(9, "updated_at", "int64"),
        Field(10, "kind", "enum"),
        Field(11, "kept", KeptCursor, repeated=True),
        Field(12, "settled_generation", "uint64"),
    )
    stream_id: bytes
    group: str
    rank: int
    world_size: int
    generation: int
    version: int
    step: int
    mesh: Mesh | None
    updated_at: int
    kind: int
    kept: list[KeptCursor]
    settled_generation: int


class TagObject(Message):
    FIELDS = (
        Field(1, "stream_id", "bytes"),
        Field(2, "name", "string"),
        Field(3, "first_step", "uint64"),
        Field(4, "next_step", "uint64"),
        Field(5, "created_at", "int64"),
        Field(6, "comment", "string"),
    )
    stream_id: bytes
    name: str
    first_step: int
    next_step: int
    created_at: int
    comment: str
