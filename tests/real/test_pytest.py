"""pytest's JUnit report, which `parsers/reports/junit.py` reads."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from parsers import reports
from tests.real.releases import compare_releases

pytestmark = pytest.mark.real
SUITE = """
import pytest

def test_passes():
    assert True

def test_fails():
    assert False

@pytest.mark.skip(reason="not now")
def test_is_skipped():
    assert False

@pytest.mark.xfail
def test_is_expected_to_fail():
    assert False

@pytest.fixture
def broken():
    raise RuntimeError("no")

def test_has_a_broken_fixture(broken):
    pass

@pytest.mark.parametrize("text", ["a b", "PASSED", "x::y"])
def test_of(text):
    assert text != "PASSED"
"""
TRUTH = {
    "passes": "passed",
    "fails": "failed",
    "is_skipped": "skipped",
    "is_expected_to_fail": "skipped",  # JUnit has no other element for it
    "has_a_broken_fixture": "error",
    "of[a b]": "passed",
    "of[PASSED]": "failed",
    "of[x::y]": "passed",
}


def test_junit_of_pytest(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    def outcomes(programs: Path) -> dict[str, str]:
        (tmp_path / "test_suite.py").write_text(SUITE)
        report = tmp_path / "report.xml"
        report.unlink(missing_ok=True)
        line = [programs / "python", "-m", "pytest", "-q", f"--junitxml={report}", "test_suite.py"]
        done = subprocess.run(line, cwd=tmp_path, check=False, capture_output=True)
        read = reports.parse("junit", {"report.xml": report.read_bytes()}, done.returncode)
        assert read.complete, read.problems
        return {name.rpartition("test_")[2]: str(how) for name, how in read.outcomes.items()}

    compare_releases(request, tmp_path, "pytest", outcomes, TRUTH)
