"""The test runner's two ways of running tests agree with each other and with pytest itself, to the text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tracks.mutation.runner.pool import RunLimits, SuiteJob, TestRunner
from tests.arena.mutation.runner.agreeing import PLAIN, PROGRAM, WHOLE

ROOM = RunLimits(seconds=20.0)
RECORDER = """
import json, pytest
from _pytest.unittest import TestCaseFunction
seen = {}
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    info = call.excinfo
    if isinstance(item, TestCaseFunction) and item._excinfo:
        info = item._excinfo[0]
    report = yield
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xpassed" if report.passed else "xfailed"
    elif report.failed and call.when != "call":
        outcome = "error"
    text = "" if info is None else f"{info.typename}: {info.value}"
    if report.failed and info is None:
        text = f"Failed: {report.longrepr}"
    tests = seen.setdefault(item.path.name, {})
    if item.name not in tests or outcome == "error":
        tests[item.name] = (outcome, text)
    elif tests[item.name][0] == "passed" and call.when == "call":
        tests[item.name] = (outcome, text)
    return report
def pytest_sessionfinish():
    with open("seen.json", "w") as file:
        json.dump(seen, file)
"""
Seen = dict[str, tuple[str, str]]


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(1) as runner:
        yield runner


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """What pytest itself says of all modules."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "target_module.py").write_text(PROGRAM)
    (folder / "conftest.py").write_text(RECORDER)
    for name, text in (PLAIN | WHOLE).items():
        (folder / f"test_{name}.py").write_text(f"from target_module import *\n{text}")
    arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "-c", "/dev/null"]
    environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    found = json.loads((folder / "seen.json").read_text())
    return {Path(k).stem.removeprefix("test_"): _plain(v) for k, v in found.items()}


def _plain(seen: dict[str, list[str]]) -> Seen:
    return {name: (outcome, _text(error)) for name, (outcome, error) in seen.items()}


def _text(error: str) -> str:
    """Without what differs from run to run: addresses, and the folder."""
    return re.sub(r" at 0x[0-9a-f]+|id='\d+'|from '[^']+'", "", error)


def _told(runner: TestRunner, text: str) -> tuple[Seen, str]:
    result = runner.run(SuiteJob(PROGRAM, text, ROOM))
    assert result.stopped.value == "finished", result.error
    return {t.name: (t.outcome.value, _text(t.error)) for t in result.tests}, result.how


@pytest.mark.rotating(12)
@pytest.mark.parametrize("name", PLAIN)
def test_plain_modules_agree(name: str, runner: TestRunner, real: dict[str, Seen]) -> None:
    seen, how = _told(runner, PLAIN[name])
    assert how == "forked"
    assert seen == real[name]


@pytest.mark.rotating(12)
@pytest.mark.parametrize("name", PLAIN)
def test_plain_modules_agree_with_the_other_way(name: str, runner: TestRunner) -> None:
    seen, _ = _told(runner, PLAIN[name])
    again, how = _told(runner, PLAIN[name] + "\npytestmark = []\n")
    assert how == "pytest"
    assert again == seen


@pytest.mark.parametrize("name", WHOLE)
def test_modules_that_need_pytest_agree(
    name: str, runner: TestRunner, real: dict[str, Seen]
) -> None:
    seen, how = _told(runner, WHOLE[name])
    assert how == "pytest"
    assert seen == real[name]
