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
"""The Java side of the tests: a process that writes streams and says what they hold.

Its class path is in LAKESTREAM_TEST_CLASSPATH, which bin/test-python sets; without it, tests that need streams are skipped.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from typing import Any

_CLASS_PATH = "LAKESTREAM_TEST_CLASSPATH"
_running: "Streams | None" = None


def streams() -> "Streams":
    """Started once for all tests of the process."""
    global _running
    if _CLASS_PATH not in os.environ:
        raise unittest.SkipTest(f"{_CLASS_PATH} is not set: run bin/test-python")
    if _running is None:
        _running = Streams(os.environ[_CLASS_PATH])
        atexit.register(_running.close)
    return _running


class Streams:
    def __init__(self, class_path: str) -> None:
        self.directory = tempfile.mkdtemp(prefix="lakestream-python-")
        self._log = open(os.path.join(self.directory, "java.log"), "wb")
        self._process = subprocess.Popen(
            ["java", "-Xmx512m", "-cp", class_path, "dev.lakestream.consumer.StreamsForReaders", self.directory],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "LC_ALL": "C.UTF-8"},  # the JDK names files in the encoding of the locale
        )
        self._answer("ready")

    def _answer(self, expected: str | None = None) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode().rstrip("\n")
        while line and not (expected is None or line == expected):
            line = self._process.stdout.readline().decode().rstrip("\n")  # a library that prints
        if not line:
            self._log.flush()
            with open(self._log.name, encoding="utf-8", errors="replace") as log:
                raise AssertionError("The Java side of the tests ended:\n" + log.read()[-4000:])
        return line

    def command(self, *words: Any) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write((" ".join(str(word) for word in words) + "\n").encode())
        self._process.stdin.flush()
        return self._answer()

    def address(self, name: str) -> str:
        return "file://" + os.path.join(self.directory, "streams", name)

    def path(self, name: str, key: str) -> str:
        return os.path.join(self.directory, "streams", name, key)

    def expected(self, name: str) -> dict[str, Any]:
        with open(os.path.join(self.directory, "expected.json"), encoding="utf-8") as file:
            return json.load(file)[name]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
