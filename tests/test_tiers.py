"""What a test lacks on this machine is told as a skip, by whatever way it was asked for; never where CI=true."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tiers

ROOT = Path(__file__).parents[1]
TESTS = """
import threading
import pytest

from tests import tiers
from tests.tiers import lacking, wanted

@pytest.fixture(scope="module")
def made():
    wanted("engine", "start one")
    raise ValueError

wanted("import", "import less")
def test_red_though_something_was_asked_for_at_import(): assert False

@pytest.fixture
def breaks():
    yield
    raise ValueError

def test_asked_passed_and_is_not_taken_down(breaks): wanted("engine", "start one")
def test_fixture(made): pass
def test_the_same_fixture(made): pass

def test_swallowed():
    def ask():
        try: lacking("isolation", "be root")
        except BaseException: pass
    thread = threading.Thread(target=ask)
    thread.start(); thread.join()
    assert False

def test_red(): assert False
def test_asked_and_passed(): wanted("engine", "start one")

@pytest.mark.needs("no-such-program", package="none")
def test_program(): pass
"""


def ended(tmp_path: Path, ci: str) -> str:
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rsfE",
        "--rootdir",
        str(tmp_path),
        "-c",
        "/dev/null",
    ]
    command += ["-p", "tests.tiers", "-p", "no:cacheprovider", "-W", "ignore", str(tmp_path)]
    env = {**os.environ, "CI": ci, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.slow
def test_what_is_lacking_is_a_skip_whoever_swallows_it(tmp_path: Path) -> None:
    said = ended(tmp_path, "")
    assert "2 failed, 2 passed, 4 skipped, 1 error in" in said, said
    assert said.count("::test_red") == 2 and "ERROR" in said.partition("::test_red")[0], said
    told = (
        "2 with no engine (start one)",
        "1 with no isolation (be root)",
        "1 with no no-such-program",
    )
    assert all(one in said for one in told), said


@pytest.mark.slow
def test_nothing_may_be_lacking_in_ci(tmp_path: Path) -> None:
    said = ended(tmp_path, "true")
    assert "3 failed, 2 passed, 4 errors" in said, said


@pytest.mark.slow
def test_a_group_of_tests_is_kept_on_one_worker(tmp_path: Path) -> None:
    """pytest-xdist tells groups by an end of the test's id, which pytest 9.2.0 does not take."""
    tests = "import os, pytest\npytestmark = pytest.mark.xdist_group('one')\n"
    for number in range(12):
        write = f"open({str(tmp_path / 'workers')!r}, 'a').write(os.environ['PYTEST_XDIST_WORKER'] + ' ')"
        tests += f"def test_{number}(): {write}\n"
    (tmp_path / "test_grouped.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "-n2", "--dist", "loadgroup", "--rootdir", "."]
    subprocess.run([*command, "test_grouped.py"], cwd=tmp_path, check=True, capture_output=True)
    workers = (tmp_path / "workers").read_text().split()
    assert len(workers) == 12
    assert len(set(workers)) == 1


@pytest.mark.parametrize(
    ("value", "due"),
    [
        ("short", None),
        (7, None),
        ("x" * 201, "x" * 200 + "~b317db35"),
        (b"\xff" * 201, "\\xff" * 200 + "~838b29b7"),
        ("\n\ud800" * 150, "\\n\\ud800" * 100 + "~73b54334"),
    ],
)
def test_a_long_parameter_is_named_by_its_beginning(value: object, due: str | None) -> None:
    assert tiers.pytest_make_parametrize_id(value) == due
