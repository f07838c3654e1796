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
"""Addresses of streams: one canonical spelling for each, as in the Java implementation."""

from __future__ import annotations

import dataclasses
import os
import re

from lakestream.errors import Fault, StoreError


def _invalid(address: str, why: str) -> StoreError:
    shown = re.sub(r"//[^/@]*@", "//***@", address)  # a secret must not reach a log
    return StoreError(Fault.INVALID, f"The address '{shown}' cannot be used: {why}.")


@dataclasses.dataclass(frozen=True)
class StreamAddress:
    """``scheme`` is ``file`` or ``s3``; ``authority`` the bucket; ``path`` without slashes at its ends."""

    scheme: str
    authority: str
    path: str

    @classmethod
    def parse(cls, address: str | os.PathLike[str]) -> "StreamAddress":
        """Reads an address as a user writes it. It is taken literally: nothing in it is escaped."""
        text = os.fspath(address)
        if not text.strip():
            raise _invalid(text, "it is empty. Write for instance file:///data/stream or s3://bucket/stream")
        if text.startswith("/"):
            return cls._checked(text, "file", "", text)
        match = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", text)
        if not match:
            raise _invalid(text, "it is relative. Write an absolute path, or file:///… or s3://bucket/…")
        scheme, rest = match[1].lower(), text[match.end() :]
        if scheme == "file":
            if rest.startswith("//"):
                host, _, path = rest[2:].partition("/")
                if host not in ("", "localhost"):
                    raise _invalid(text, f"'{host}' stands where a host would. A local path has three slashes")
                return cls._checked(text, "file", "", path)
            if not rest.startswith("/"):
                raise _invalid(text, "it is relative. Write file:///absolute/path")
            return cls._checked(text, "file", "", rest)
        if scheme not in ("s3", "s3a", "s3n"):
            raise _invalid(text, f"there is no store for '{scheme}:'. Known are file: and s3:")
        bucket, _, path = rest[2:].partition("/") if rest.startswith("//") else ("", "", "")
        if "@" in bucket:
            raise _invalid(text, "credentials do not belong into an address. Use options, or the default credential chain")
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}", bucket):
            raise _invalid(text, f"'{bucket}' is not the name of a bucket. Write s3://bucket/path")
        return cls._checked(text, "s3", bucket, path)

    @classmethod
    def _checked(cls, text: str, scheme: str, authority: str, path: str) -> "StreamAddress":
        parts = [part for part in path.split("/") if part]
        if any(part in (".", "..") for part in parts):
            raise _invalid(text, "'.' and '..' are not allowed as parts. Write the path out")
        if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in path):
            raise _invalid(text, "it contains a control character")
        if scheme == "file" and parts and re.match(r"[A-Za-z]:(\\|$)", parts[0]):
            raise _invalid(text, "it is a Windows path, and this is no Windows system. Write /path")
        if scheme == "file" and not parts:
            raise _invalid(text, "it is the root of the file system. Name a directory")
        return cls(scheme, authority, "/".join(parts))

    def __str__(self) -> str:
        if self.scheme == "file":
            return f"file:///{self.path}"
        return f"{self.scheme}://{self.authority}" + (f"/{self.path}" if self.path else "")
