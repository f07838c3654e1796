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
"""The Protocol Buffers wire format, as far as the messages of a stream need it."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypeVar

from lakestream.errors import CorruptObjectError

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIRE_TYPES = {"uint32": _VARINT, "uint64": _VARINT, "int64": _VARINT, "bool": _VARINT, "enum": _VARINT, "fixed32": _FIXED32}
_DEFAULTS: dict[str, Any] = {"bytes": b"", "string": "", "bool": False}


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a message.

    ``kind`` is a scalar type as lakestream.proto names it, ``enum``, ``map`` (of strings to strings), or a message class.
    """

    number: int
    name: str
    kind: Any
    repeated: bool = False

    def default(self) -> Any:
        if self.repeated:
            return []
        if self.kind == "map":
            return {}
        if isinstance(self.kind, type):
            return None
        return _DEFAULTS.get(self.kind, 0)


class Message:
    """A message; subclasses list their ``FIELDS``. Absent messages are None, other absent fields their default."""

    FIELDS: ClassVar[tuple[Field, ...]] = ()
    _by_number: ClassVar[dict[int, Field]]

    def __init_subclass__(cls) -> None:
        cls._by_number = {field.number: field for field in cls.FIELDS}

    def __init__(self, **values: Any) -> None:
        for field in self.FIELDS:
            setattr(self, field.name, values.pop(field.name) if field.name in values else field.default())
        if values:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(values)}.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in self.FIELDS if getattr(self, f.name) != f.default())
        return f"{type(self).__name__}({', '.join(shown)})"


M = TypeVar("M", bound=Message)


def decode(kind: type[M], data: bytes | memoryview, what: str) -> M:
    """Parses a message, passing over fields that are not known here."""
    try:
        return _decode(kind, memoryview(data).cast("B"))
    except (IndexError, ValueError) as e:
        raise CorruptObjectError(f"{what} holds a {kind.__name__} that does not parse: {e}") from e


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift >= 70:
            raise ValueError(f"a number at byte {at} does not end")


def _decode(kind: type[M], data: memoryview) -> M:
    message = kind()
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: Any
        if wire == _VARINT:
            value, at = _varint(data, at)
        elif wire == _BYTES:
            length, at = _varint(data, at)
            if length > len(data) - at:
                raise ValueError(f"field {number} states {length} bytes of {len(data) - at}")
            value, at = data[at : at + length], at + length
        elif wire in (_FIXED32, _FIXED64):
            width = 4 if wire == _FIXED32 else 8
            if width > len(data) - at:
                raise ValueError(f"field {number} is cut off")
            value, at = int.from_bytes(data[at : at + width], "little"), at + width
        else:
            raise ValueError(f"field {number} has wire type {wire}")
        field = kind._by_number.get(number)
        if field is not None:
            _set(message, field, wire, value)
    return message


def _set(message: Message, field: Field, wire: int, value: Any) -> None:
    expected = _WIRE_TYPES.get(field.kind, _BYTES) if isinstance(field.kind, str) else _BYTES
    if field.repeated and wire == _BYTES and expected == _VARINT:
        at, values = 0, getattr(message, field.name)
        while at < len(value):
            number, at = _varint(value, at)
            values.append(_scalar(field.kind, number))
        return
    if wire != expected:
        raise ValueError(f"field {field.name} has wire type {wire}, not {expected}")
    if field.kind == "map":
        entry = _decode(_MapEntry, value)
        getattr(message, field.name)[entry.key] = entry.value
        return
    parsed = _scalar(field.kind, value) if isinstance(field.kind, str) else _decode(field.kind, value)
    if field.repeated:
        getattr(message, field.name).append(parsed)
    else:
        setattr(message, field.name, parsed)


def _scalar(kind: str, value: Any) -> Any:
    if kind == "bytes":
        return bytes(value)
    if kind == "string":
        return str(value, "utf-8")
    if kind in ("uint32", "enum"):
        return value & 0xFFFFFFFF
    if kind == "int64":
        return value - (1 << 64) if value >= 1 << 63 else value
    if kind == "bool":
        return value != 0
    return value


class _MapEntry(Message):
    FIELDS = (Field(1, "key", "string"), Field(2, "value", "string"))
    key: str
    value: str


def encode(message: Message) -> bytes:
    """The bytes of a message: fields in order of number, defaults left out, maps sorted by key."""
    out = bytearray()
    for field in sorted(message.FIELDS, key=lambda f: f.number):
        value = getattr(message, field.name)
        if value is None or value == field.default():
            continue
        if field.kind == "map":
            for key in sorted(value, key=lambda k: k.encode()):
                _put_bytes(out, field.number, encode(_MapEntry(key=key, value=value[key])))
        elif field.repeated and _WIRE_TYPES.get(field.kind) == _VARINT:
            packed = bytearray()
            for item in value:
                _put_varint(packed, item)
            _put_bytes(out, field.number, bytes(packed))
        else:
            for item in value if field.repeated else [value]:
                _put(out, field, item)
    return bytes(out)


def _put(out: bytearray, field: Field, value: Any) -> None:
    if isinstance(value, Message):
        _put_bytes(out, field.number, encode(value))
    elif field.kind == "string":
        _put_bytes(out, field.number, value.encode())
    elif field.kind == "bytes":
        _put_bytes(out, field.number, value)
    elif field.kind == "fixed32":
        _put_varint(out, field.number << 3 | _FIXED32)
        out += int(value).to_bytes(4, "little")
    else:
        _put_varint(out, field.number << 3)
        _put_varint(out, int(value))


def _put_bytes(out: bytearray, number: int, value: bytes) -> None:
    _put_varint(out, number << 3 | _BYTES)
    _put_varint(out, len(value))
    out += value


def _put_varint(out: bytearray, value: int) -> None:
    value &= 0xFFFFFFFFFFFFFFFF
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
