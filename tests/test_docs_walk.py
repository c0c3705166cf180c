"""The page from a case to a task, done line by line as a reader would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.sandbox.base import Backend
from tests.documents import FENCE, ROOT, text_of

PAGE = "docs/from-case-to-task.md"


@pytest.mark.docker
@pytest.mark.nightly
def test_each_line_of_the_page_does_what_it_says(docker: Backend, tmp_path: Path) -> None:
    (tmp_path / "tasks").symlink_to(ROOT / "tasks")
    bin_ = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "ARENA_HOME": str(tmp_path / "home"),
    }
    blocks = [body for language, body in FENCE.findall(text_of(PAGE)) if language == "sh"]
    said = []
    for line in "".join(blocks).splitlines():
        command = ["sh", "-c", line]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        said.append(done.stdout)
    _, shown, candidates, proof, built, ruled, checked, labels = said
    assert "30adc222b88f49a9dae1846d632090a20f356ea5" in shown
    assert candidates.count("line(s)") == 3  # the fix's and those of two candidates
    assert "confirmed by candidates, 5 builds" in proof
    assert "held            1" in built and "1 by stated" in built
    assert ruled.startswith("ok ") and checked.startswith("ok")
    assert " CV " in labels and " C&S " in labels
    (journey,) = json.loads((tmp_path / "mypack/funnel.json").read_text())["journeys"]
    assert (journey["how"], journey["fixed"]) == ("stated", "given")
    assert (tmp_path / "mypack/funnel.html").is_file()
