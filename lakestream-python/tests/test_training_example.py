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
"""The example of a training loop, in small: killed, resumed on another number of ranks, and compared."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import unittest

import fixture

try:
    import torch.distributed

    if not torch.distributed.is_gloo_available():
        raise ImportError
except (ImportError, AttributeError):
    raise unittest.SkipTest("PyTorch with gloo is not installed (apt-get install python3-torch)") from None

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "training")


class TrainingExampleTest(unittest.TestCase):
    def test_a_killed_job_consumes_what_one_does_that_runs_through(self) -> None:
        java = fixture.streams()
        sys.path.insert(0, EXAMPLE)
        self.addCleanup(sys.path.remove, EXAMPLE)
        import run

        with tempfile.TemporaryDirectory() as directory:
            options = {"--stream": java.address("text"), "--dir": directory, "--steps": 12, "--kill-at": 6, "--checkpoint-every": 4}
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                code = run.main([str(word) for option in options.items() for word in option])
            self.assertEqual(code, 0, said.getvalue())
            self.assertIn("72 sequences in 12 steps, the same in each step", said.getvalue())
            self.assertIn("3 ranks of generation 1 hold the stream from step 8 on", said.getvalue())
        # Java finds what the ranks recorded.
        self.assertIn("group=train-example-killed, rank=2, worldSize=3, generation=1", java.command("watermarks", "text"))


if __name__ == "__main__":
    unittest.main()
