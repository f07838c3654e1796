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
"""Streams in an S3 bucket, or in a store with S3's interface, by boto3, which is imported when the first one is opened."""

from __future__ import annotations

import os
import re
import threading
from typing import Any, Callable, Mapping

import numpy as np

from lakestream.errors import Fault, MissingModuleError, StoreError
from lakestream.store.address import StreamAddress
from lakestream.store.base import ObjectStore, Page

OPTIONS = {
    "s3.endpoint": "of a store that is not Amazon's",
    "s3.region": "default: that of the environment; with an endpoint us-east-1",
    "s3.path-style-access": "true or false; default: true with an endpoint",
    "s3.access-key": "default: the default credential chain",
    "s3.secret-key": "",
    "s3.session-token": "",
    "s3.request-timeout": "in seconds; default 60",
    "s3.max-connections": "default 64",
}
_CONTENT_RANGE = re.compile(r"bytes ([0-9]+)-([0-9]+)/([0-9]+)")
_RETRYABLE_CODES = {"SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Throttling", "RequestTimeTooSkewed"}


class S3Store(ObjectStore):
    """Each request is sent once: RetryingStore repeats."""

    def __init__(self, address: StreamAddress, options: Mapping[str, str]) -> None:
        unknown = sorted(key for key in options if key not in OPTIONS)
        if unknown:
            raise StoreError(Fault.INVALID, f"Unknown options: {', '.join(unknown)}. Known are: {', '.join(OPTIONS)}.")
        self.address = str(address)
        self._bucket = address.authority
        self._prefix = address.path + "/" if address.path else ""
        self._options = dict(options)
        self._lock = threading.Lock()
        self._client: Any = None
        self._pid = 0
        self._connected()

    def _connected(self) -> Any:
        """The client of this process: connections do not survive a fork."""
        with self._lock:
            if self._client is None or self._pid != os.getpid():
                self._client = self._connect()
                self._pid = os.getpid()
            return self._client

    def _connect(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise MissingModuleError(
                f"{self.address} needs the package 'boto3': pip install boto3, or apt-get install python3-boto3."
            ) from None
        get = self._options.get
        endpoint = get("s3.endpoint")
        path_style = get("s3.path-style-access", "true" if endpoint else "false").lower() == "true"
        timeout = float(get("s3.request-timeout", "60"))
        settings: dict[str, Any] = {
            "retries": {"total_max_attempts": 1},
            "max_pool_connections": int(get("s3.max-connections", "64")),
            "connect_timeout": min(10.0, timeout),
            "read_timeout": timeout,
            "s3": {"addressing_style": "path" if path_style else "auto"},
        }
        try:  # Newer versions send checksums as trailers, which some servers refuse; older ones do not know the setting.
            config = Config(request_checksum_calculation="when_required", response_checksum_validation="when_required", **settings)
        except TypeError:
            config = Config(**settings)
        session = boto3.session.Session()
        return session.client(
            "s3",
            endpoint_url=endpoint,
            region_name=get("s3.region") or session.region_name or ("us-east-1" if endpoint else None),
            aws_access_key_id=get("s3.access-key"),
            aws_secret_access_key=get("s3.secret-key"),
            aws_session_token=get("s3.session-token"),
            config=config,
        )

    def read(self, key: str, offset: int, length: int) -> memoryview:
        return self._get(key, f"bytes={offset}-{offset + length - 1}", lambda total: (offset, offset + length))[0]

    def read_suffix(self, key: str, length: int) -> tuple[memoryview, int]:
        return self._get(key, f"bytes=-{length}", lambda total: (max(0, total - length), total))

    def _get(self, key: str, wanted: str, part: Callable[[int], tuple[int, int]]) -> tuple[memoryview, int]:
        """The bytes from ``part[0]`` to ``part[1]`` of an object of the given length, and that length: these and no others."""
        what = f"{wanted} of {self._name(key)}"
        try:
            reply = self._connected().get_object(Bucket=self._bucket, Key=self._prefix + key, Range=wanted)
            body = reply["Body"]
            try:
                length = int(reply["ContentLength"])
                if reply["ResponseMetadata"]["HTTPStatusCode"] == 206:
                    sent, total = self._sent(reply.get("ContentRange", ""), what)
                else:  # the whole object in place of a range
                    sent, total = (0, length), length
                start, end = part(total)
                if sent[1] - sent[0] != length or not (sent == (start, end) or sent == (0, total)) or end > total:
                    raise StoreError(
                        Fault.SHORT_REPLY, f"The store sent bytes {sent[0]} to {sent[1]} of {total} where {what} was asked for."
                    )
                self._fill(body, memoryview(bytearray(min(1 << 20, start - sent[0]))), start - sent[0], what)
                buffer = memoryview(np.empty(end - start, dtype=np.uint8))
                self._fill(body, buffer, end - start, what)
            finally:
                body.close()
            return buffer, total
        except StoreError:
            raise
        except Exception as e:
            raise self._fault(e, f"read {wanted} of", key) from e

    @staticmethod
    def _sent(header: str, what: str) -> tuple[tuple[int, int], int]:
        match = _CONTENT_RANGE.fullmatch(header)
        if not match:
            raise StoreError(Fault.SHORT_REPLY, f"The store answered {what} with the range '{header}', which says nothing.")
        return (int(match[1]), int(match[2]) + 1), int(match[3])

    @staticmethod
    def _fill(body: Any, buffer: memoryview, length: int, what: str) -> None:
        """Reads so many bytes; into the buffer from its start on again where it is shorter."""
        done = 0
        while done < length:
            at = done % len(buffer)
            chunk = body.read(min(1 << 20, length - done, len(buffer) - at))
            if not chunk:
                raise StoreError(Fault.SHORT_REPLY, f"The reply with {what} ended {length - done} bytes early.")
            buffer[at : at + len(chunk)] = chunk
            done += len(chunk)

    def list(self, prefix: str, start_after: str, limit: int) -> Page:
        request: dict[str, Any] = {"Bucket": self._bucket, "Prefix": self._prefix + prefix, "MaxKeys": min(limit, 1000)}
        if start_after:
            request["StartAfter"] = self._prefix + start_after
        try:
            reply = self._connected().list_objects_v2(**request)
        except Exception as e:
            raise self._fault(e, "list", prefix) from e
        keys = [entry["Key"][len(self._prefix) :] for entry in reply.get("Contents", [])]
        return Page(keys, bool(reply.get("IsTruncated")))

    def put(self, key: str, data: bytes) -> None:
        try:
            self._connected().put_object(Bucket=self._bucket, Key=self._prefix + key, Body=data)
        except Exception as e:
            raise self._fault(e, "write", key) from e

    def close(self) -> None:
        with self._lock:
            client, self._client = self._client, None
        if client is not None and self._pid == os.getpid():
            client.close()

    def _name(self, key: str) -> str:
        return f"'{self._prefix}{key}' in bucket '{self._bucket}'"

    def _fault(self, e: Exception, action: str, key: str) -> StoreError:
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError

        what = f"Could not {action} {self._name(key)}"
        if isinstance(e, ClientError):
            code = str(e.response.get("Error", {}).get("Code", ""))
            status = int(e.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            if code == "NoSuchBucket":
                fault = Fault.INVALID
            elif status == 404:
                fault = Fault.MISSING
            elif status in (401, 403) and code not in _RETRYABLE_CODES:
                fault = Fault.DENIED
            elif status >= 500 or status in (408, 429) or code in _RETRYABLE_CODES:
                fault = Fault.UNAVAILABLE
            else:
                fault = Fault.INVALID
            return StoreError(fault, f"{what}: {code} (HTTP {status}): {e}.")
        if isinstance(e, NoCredentialsError):
            return StoreError(Fault.DENIED, f"{what}: no credentials were found. Set them as options or in the environment.")
        if isinstance(e, ParamValidationError):
            return StoreError(Fault.INVALID, f"{what}: {e}")
        if isinstance(e, (BotoCoreError, OSError)) or type(e).__module__.startswith(("urllib3", "botocore.vendored", "http")):
            return StoreError(Fault.UNAVAILABLE, f"{what}: {type(e).__name__}: {e}")
        return StoreError(Fault.INVALID, f"{what}: {type(e).__name__}: {e}")
