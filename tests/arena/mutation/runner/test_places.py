"""The test runner works from wherever the project lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
import harness
from arena.tracks.mutation.runner.pool import SuiteJob, TestRunner

tests = "import os\\n\\ndef test_a():\\n    assert not os.path.exists('/tmp/left')\\n    open('/tmp/left', 'w')\\n"
with TestRunner(workers=1) as runner:
    print(harness.__file__, [runner.run(SuiteJob("x = 1", tests)).has_passed for _ in range(2)])
"""


@pytest.mark.usefixtures("isolated")
def test_a_checkout_below_the_scratch_folder() -> None:
    """Its own `/tmp` hides a checkout there from a run; the worker and its late imports need it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # wherever TMPDIR is
        for package in ("harness", "parsers"):
            shutil.copytree(ROOT / package, Path(folder, package))
        Path(folder).chmod(0o755)
        environment = {**os.environ, "PYTHONPATH": folder}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, cwd="/", capture_output=True, text=True
        )
    assert done.stdout.strip() == f"{folder}/harness/__init__.py [True, True]", done.stderr
