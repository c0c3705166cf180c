"""Statement coverage: the same run tells it; what cannot be read is none."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.dual.runner import Order, RunLimitsSpec
from arena.tracks.dual.runner.coverage import covered_statements
from arena.tracks.dual.runner.drivers import cpp
from arena.tracks.dual.runner.order import HOME
from arena.tracks.dual.runner.pool import ProgramRunner
from tests.arena.dual.runner.driven import order

PYTHON = "import os\ndef f(n):\n    if n:\n        return 1\n    return 2\ndef leave():\n    os._exit(0)\n"
JAVASCRIPT = """// a comment
const text = 'ö // no comment 😀';
function f(n) {
  if (n) {
    return 1;
  }
  /* a longer
     comment */
  return `two
    lines`;
}
function unused() {
  return 3;
}
"""
CPP = """
int unused(int a) {
    return a + 1;
}
int pick(int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        if (i % 2)
            total += i;
        else if (i > 100)
            total -= 1;
    }
    try {
        if (n > 3) throw n;
        total += 10;
    } catch (int) {
        total = -1;
    }
    switch (n) {
        case 1: return unused(3);
        case 5: return total;
    }
    return 0;
}
int main() { return pick(5) == -1 ? 0 : 1; }
"""


@pytest.mark.parametrize(
    ("language", "source", "step", "ran", "every"),
    [
        ("python", PYTHON, {"call": "f", "args": [1]}, (1, 2, 3, 4, 6), (1, 2, 3, 4, 5, 6, 7)),
        ("python", PYTHON, {"call": "leave"}, (1, 2, 6, 7), (1, 2, 3, 4, 5, 6, 7)),
        ("javascript", JAVASCRIPT, {"call": "f", "args": [1]}, (2, 3, 4, 5), (2, 3, 4, 5, 9, 10, 12, 13)),
        ("javascript", JAVASCRIPT, {"call": "f", "args": [0]}, (2, 3, 4, 9, 10), (2, 3, 4, 5, 9, 10, 12, 13)),
    ],
)  # fmt: skip
def test_the_lines_that_ran(
    runner: ProgramRunner, language: str, source: str, step: Any, ran: Any, every: Any
) -> None:
    name = {"python": "solution.py", "javascript": "solution.js"}[language]
    file = f"{HOME}/{name}"
    asked = [step["call"]]
    seen = runner.run(order(language, source, asked, [step], coverage=True, covered=(file,)))
    assert [(c.file, c.ran, c.all) for c in seen.coverage] == [(file, ran, every)]
    assert "overage" not in seen.stderr


@pytest.fixture(scope="module")
def compiled(runner: ProgramRunner) -> dict[str, bytes]:
    """Notes and counts of one run of the C++ program."""
    file, out = f"{HOME}/solution.cpp", f"{HOME}/build/program"
    build = cpp.program(file, CPP, out, coverage=True)
    files = {file: CPP.encode(), f"{HOME}/build/keep": b""}
    made = runner.run(
        Order("run", build.argv, ({},), files=files, fetch=build.makes, limits=RunLimitsSpec(30))
    )
    assert made.steps[0].exit == 0, made.steps[0].stderr
    run = ("/bin/sh", "-c", f"chmod +x {out} && {out} && cp /run/arena/coverage/*.gcda {HOME}/gcda")
    files = {
        file: CPP.encode(),
        out: made.fetched[out],
        "/run/arena/coverage/p.gcno": made.fetched[build.makes[1]],
    }
    done = runner.run(
        Order("run", run, ({},), files=files, coverage=True, covered=(file,), fetch=(f"{HOME}/gcda",))
    )  # fmt: skip
    assert done.steps[0].exit == 0, done.steps[0].stderr
    (found,) = done.coverage
    assert found.file == file
    raw = {"p.gcno": made.fetched[build.makes[1]], "p.gcda": done.fetched[f"{HOME}/gcda"]}
    assert covered_statements(raw, {file: b""}) == (found,)
    return raw


def test_what_gcov_says_of_cpp(compiled: dict[str, bytes], tmp_path: Path) -> None:
    for name, content in compiled.items():
        (tmp_path / name).write_bytes(content)
    argv = ["gcov", "--json-format", "--stdout", "p.gcda"]
    said = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    file = f"{HOME}/solution.cpp"
    lines = next(f for f in json.loads(said)["files"] if f["file"] == file)["lines"]
    (found,) = covered_statements(compiled, {file: b""})
    assert found.ran == tuple(sorted({n["line_number"] for n in lines if n["count"]}))
    assert found.all == tuple(sorted({n["line_number"] for n in lines}))
    assert 16 in found.ran and 15 not in found.ran


def test_counts_of_another_compilation_are_not_taken(compiled: dict[str, bytes]) -> None:
    other = bytearray(compiled["p.gcda"])
    other[8] ^= 1
    raw = {**compiled, "p.gcda": bytes(other)}
    assert covered_statements(raw, {f"{HOME}/solution.cpp": b""}) == ()


def test_cut_or_changed_counts_raise_nothing(compiled: dict[str, bytes]) -> None:
    files = {f"{HOME}/solution.cpp": b""}
    for name, content in compiled.items():
        for at in range(0, len(content), max(1, len(content) // 60)):
            covered_statements({**compiled, name: content[:at]}, files)
            changed = content[:at] + b"\xff" * 4 + content[at + 4 :]
            covered_statements({**compiled, name: changed}, files)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.floats() | st.sampled_from(["file:///a.js", "/a.py", ""]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["result", "url", "functions", "ranges", "startOffset", "endOffset", "count", "/a.py", "all", "ran"]),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(JUNK)
def test_hostile_json_raises_nothing(data: Any) -> None:
    raw = {
        "x.json": json.dumps(data).encode(),
        "y.json": b"\xff{",
        "z.gcno": b"oncg" + b"\xff" * 40,
    }
    for found in covered_statements(raw, {"/a.py": b"x", "/a.js": b"function f() {}\n"}):
        assert set(found.ran) <= set(found.all)


@given(st.binary(max_size=200))
def test_hostile_notes_raise_nothing(data: bytes) -> None:
    head = struct.pack("<4sII", b"oncg", 1, 7)
    counts = struct.pack("<4sIII", b"adcg", 1, 7, 0) + data
    covered_statements({"a.gcno": head + data, "a.gcda": counts}, {"/a": b""})


def test_files_that_nobody_asked_for_are_not_told() -> None:
    raw = {
        "a.json": b'{"/b.py": [1], "/a.py": [2, 9]}',
    }
    assert [
        (c.file, c.ran, c.all) for c in covered_statements(raw, {"/a.py": b"x = 1\ny = 2\n"})
    ] == [("/a.py", (2,), (1, 2))]


BURN = "import time\nt = time.process_time()\nwhile time.process_time() - t < 0.5:\n    pass\n"
LATE = BURN + "late = 1\nprint('done')\n"
REPLACED = (
    "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', "
    + repr(BURN + "print('done')")
    + "])\n"
)
THREADED = (
    "import threading\n\ndef work():\n    return 1\n\n"
    "one = threading.Thread(target=work)\none.start()\none.join()\nprint('done')\n"
)


@pytest.mark.parametrize(
    ("source", "lines"), [(LATE, {1, 2, 3, 4}), (REPLACED, None), (THREADED, {1, 3, 4, 6, 7, 8, 9})]
)
def test_recording_ends_in_time_and_harms_nothing(
    runner: ProgramRunner, source: str, lines: set[int] | None
) -> None:
    """A loop is traced for a while only; a program that takes this one's place goes on; threads are seen."""
    file = f"{HOME}/solution.py"
    asked = Order(
        "run",
        (sys.executable, file),
        ({},),
        files={file: source.encode()},
        hooks=("python",),
        coverage=True,
        covered=(file,),
    )
    seen = runner.run(asked)
    assert seen.steps[0].exit == 0, seen.steps[0].stderr
    assert seen.steps[0].stdout == "done\n"
    if lines is not None:
        assert set(seen.coverage[0].ran) == lines
