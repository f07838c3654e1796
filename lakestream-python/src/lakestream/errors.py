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
"""What can go wrong, as types: callers decide by the type, people by the message."""

from __future__ import annotations

import enum


class LakestreamError(Exception):
    """The base of all errors of this package."""


class Fault(enum.Enum):
    """What a caller of a store may do next."""

    MISSING = "missing"  # there is no such object
    DENIED = "denied"  # permanent: credentials or rights
    INVALID = "invalid"  # permanent: the address, key or request cannot be right
    UNAVAILABLE = "unavailable"  # may pass: throttled, timed out, reset, 5xx
    SHORT_REPLY = "short reply"  # may pass: fewer or other bytes than asked for

    @property
    def retryable(self) -> bool:
        return self in (Fault.UNAVAILABLE, Fault.SHORT_REPLY)


class StoreError(LakestreamError):
    """A request to the store failed; ``fault`` says of what kind."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class CorruptObjectError(LakestreamError):
    """An object is not what its writer wrote, or states what cannot be."""


class UnsupportedVersionError(LakestreamError):
    """An object is of a newer format version than this package reads. It is not damaged."""


class MissingModuleError(LakestreamError):
    """Something needs an optional Python package that is not installed."""


class StreamNotFoundError(LakestreamError):
    """There is no stream at the address."""


class TrimmedError(LakestreamError):
    """The step has been reclaimed."""

    def __init__(self, stream: str, step: int, first_step: int) -> None:
        super().__init__(
            f"Step {step} of {stream} has been reclaimed; the first step still held is {first_step}."
            " Go on from there, or restore an older copy of the stream. Watermarks and tags keep"
            " history from being reclaimed."
        )
        self.step = step
        self.first_step = first_step


class StepBeyondEndError(LakestreamError):
    """The step is further in the future than the next one to be published."""


class ForeignCursorError(LakestreamError):
    """The cursor is of another stream, or of a later state of this one than the store holds."""


class MeshMismatchError(LakestreamError):
    """What is read was written, or saved, for another mesh than the reader's."""


class TopologyError(LakestreamError):
    """The mesh, mode and slice format do not go together."""


class ReadTimeoutError(LakestreamError):
    """A step did not come in time; ``stage`` names what was being waited for."""

    def __init__(self, stage: "Stage", message: str) -> None:
        super().__init__(message)
        self.stage = stage


class UnreadableStepError(LakestreamError):
    """The step is published and cannot be read; ``__cause__`` says why."""

    def __init__(self, step: int, message: str) -> None:
        super().__init__(message)
        self.step = step


class SupersededError(LakestreamError):
    """Another process of a newer generation, or of another world, has recorded as this rank."""


class GroupTakenError(LakestreamError):
    """The name of the group is that of a Flink source; nothing was recorded over it."""


class ReclaimedError(LakestreamError):
    """The manifest that a reader stands on is no longer part of the stream."""


class StreamDroppedError(LakestreamError):
    """The stream was dropped, and perhaps another one created in its place, while it was in use."""


class Stage(enum.Enum):
    """Where a reader's time goes."""

    MANIFEST = "manifest"
    NEW_STEP = "new step"
    LOOKUP = "lookup"
    FETCH = "fetch"
    DECODE = "decode"
    CONSUMER = "consumer"

    @property
    def awaited(self) -> str:
        return {
            Stage.MANIFEST: "an answer about newer manifests",
            Stage.NEW_STEP: "a producer to publish it",
            Stage.LOOKUP: "the segments that say where it is",
            Stage.FETCH: "its bytes",
            Stage.DECODE: "its checksums and decompression",
            Stage.CONSUMER: "the consumer",
        }[self]
