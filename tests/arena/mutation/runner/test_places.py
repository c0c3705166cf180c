"""The test runner works from wherever the project lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
import harness
from arena.tracks.mutation.runner.pool import SuiteJob, TestRunner

tests = "import os\\n\\ndef test_a():\\n    assert not os.path.exists('/tmp/left')\\n    open('/tmp/left', 'w')\\n"
with TestRunner(workers=1) as runner:
    print(harness.__file__, [runner.run(SuiteJob("x = 1", tests)).passed for _ in range(2)])
"""


@pytest.mark.usefixtures("isolated")
def test_a_checkout_below_the_scratch_folder(tmp_path: Path) -> None:
    """Its own `/tmp` hides a checkout there from a run; the worker and its late imports need it."""
    for package in ("harness", "parsers"):
        shutil.copytree(ROOT / package, tmp_path / package)
    tmp_path.chmod(0o755)
    assert str(tmp_path).startswith("/tmp/")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, cwd="/", capture_output=True, text=True
    )
    assert done.stdout.strip() == f"{tmp_path}/harness/__init__.py [True, True]", done.stderr
