"""The tiers of the suite: what each runs, how many examples it draws, and how it ends.

| tier | runs | examples of a property |
|---|---|---|
| `quick` | what needs no sandbox, server or browser and is not marked `slow` | 10 |
| `default` | all but what is marked `nightly`, one day's share of what is `rotating`; one sandbox where two \
would show the same | 25 |
| `nightly` | everything | 300 |

Loaded as a plugin of pytest (see pyproject.toml), so that every worker knows the tier.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections import Counter
from collections.abc import Generator
from datetime import date
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

TIERS = {"quick": 10, "default": 25, "nightly": 300}
SANDBOXES = {
    *("docker", "local", "backend", "isolated", "runner"),
    *("postgres", "browser", "node"),
}
"""Fixtures that start something outside Python."""
LONGEST = 20.0
"""Seconds from which a test outside the nightly tier is named, where each worker has a processor."""
TOO_LONG = 3 * LONGEST
"""Seconds from which it fails the run: a busy machine takes a few times as long as an idle one."""
DAY = int(os.environ.setdefault("ARENA_TEST_DAY", str(date.today().toordinal())))
"""Decides which share of rotating tests the default tier runs."""
REQUIRED = os.environ.get("CI") == "true"


def few() -> settings:
    """A third of the tier's examples, for properties whose examples take long."""
    return settings(max_examples=max(3, settings().max_examples // 3))


_wanted: list[str] = []
"""What the running test asked for in vain."""
_failures: list[tuple[BaseException, str]] = []
"""Failures for want of something: a fixture of a module fails with the same one for each of its tests."""


def wanted(what: str, advice: str) -> str:
    """Note what a test lacks here, from whatever thread: should it fail, it is for want of that."""
    _wanted.append(f"no {what} ({advice})")
    return _wanted[-1]


def lacking(what: str, advice: str) -> NoReturn:
    """End a test for want of something: skipped on a developer's machine, failed where CI=true."""
    if REQUIRED:
        pytest.fail(f"{what} is required here: {advice}")
    pytest.skip(wanted(what, advice))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _wanted.clear()  # what was asked for between tests is none of them
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if shutil.which(program) is None:
                lacking(program, f"apt-get install {mark.kwargs.get('package', program)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skip within a thread of the program fails its test otherwise: it is told as the skip that it is."""
    report = yield
    if report.failed and call.excinfo and not REQUIRED:
        error = call.excinfo.value
        _failures.extend((error, what) for what in _wanted[-1:])
        for what in (what for of, what in _failures if of is error):
            path, line, _ = item.location
            report.outcome, report.longrepr = "skipped", (path, line or 0, f"Skipped: {what}")
    if call.when == "teardown" or (call.when == "call" and report.passed):
        _wanted.clear()
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=[*TIERS], default="default", help="see tests/tiers.py")


def pytest_configure(config: pytest.Config) -> None:
    tier: str = config.getoption("tier")
    settings.register_profile(
        tier,
        max_examples=TIERS[tier],
        deadline=None,  # a machine may be busy: how fast an example is made tells nothing
        derandomize=REQUIRED and tier != "nightly",
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile(tier)
    shared = max(1.0, (config.getoption("numprocesses", None) or 1) / (os.cpu_count() or 1))
    config.pluginmanager.register(Ending(tier, shared), "ending")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier = config.getoption("tier")
    left = [item for item in items if _left_out(item, tier)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in set(left)]


def _left_out(item: pytest.Item, tier: str) -> bool:
    marks = {mark.name for mark in item.iter_markers()}
    if tier == "quick":
        outside = SANDBOXES.intersection(getattr(item, "fixturenames", ()))
        return bool(outside or marks & {"docker", "local", "slow", "rotating", "nightly"})
    return tier == "default" and ("nightly" in marks or _another_day(item))


def _another_day(item: pytest.Item) -> bool:
    """Whether `@pytest.mark.rotating(N)` leaves the test to another one of N days."""
    mark = item.get_closest_marker("rotating")
    return mark is not None and (zlib.crc32(item.nodeid.encode()) + DAY) % mark.args[0] != 0


def pytest_report_header(config: pytest.Config) -> str:
    return f"tier: {config.getoption('tier')}, ARENA_TEST_DAY={DAY}"


class Ending:
    """Closes a session: what was skipped, by reason, and tests that took long for their tier."""

    def __init__(self, tier: str, shared: float) -> None:
        self._tier, self._shared = tier, shared
        self._long: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = report.duration / self._shared
        if report.when == "call" and seconds > LONGEST and self._tier != "nightly":
            self._long[report.nodeid] = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if any(seconds > TOO_LONG for seconds in self._long.values()) and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, seconds in self._long.items():
            word = "TOO LONG" if seconds > TOO_LONG else "long"
            terminalreporter.write_line(
                f"{word} {name}: {seconds:.0f} s a processor; over {LONGEST:.0f} s belongs to "
                f"--nightly, over {TOO_LONG:.0f} s fails"
            )
        skipped = terminalreporter.stats.get("skipped", [])
        reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
        if reasons:
            told = "; ".join(f"{count} with {reason}" for reason, count in reasons.most_common())
            terminalreporter.write_line(f"skipped {len(skipped)}: {told}")
