"""The tiers of the suite: what each runs, how many examples it draws, and how it ends.

| tier | runs | examples of a property |
|---|---|---|
| `quick` | what needs no sandbox, server or browser and is not marked `slow` | 10 |
| `default` | all but what is marked `nightly`, some parameters of what is marked `by_day`, one day's share of what \
is `rotating`; one sandbox where two would show the same | 10 |
| `nightly` | everything but what is marked `real` | 300 |
| `real` | what is marked `real`: the newest releases of outside tools | 10 |

Loaded as a plugin of pytest (see pyproject.toml), so that every worker knows the tier.
"""

from __future__ import annotations

import os
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Generator
from datetime import date
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

TIERS = {"quick": 10, "default": 10, "nightly": 300, "real": 10}
# Seconds after which a test that does not end fails (pytest-timeout); fixtures count.
TIMEOUT_S = {"quick": 60, "default": 240, "nightly": 1800, "real": 1800}
# Fixtures that start something outside Python.
SANDBOXES = {
    *("docker", "local", "backend", "isolated", "runner"),
    *("postgres", "browser", "node"),
}
# Seconds from which a test outside the nightly tier is named, where each worker has a processor.
LONGEST = 20.0
# Seconds from which it fails the run: a busy machine takes a few times as long as an idle one.
TOO_LONG = 3 * LONGEST
# Characters of a parameter that are its test's name: xdist sends names to and fro, and some inputs have
# MiB.
LONGEST_ID = 200
# Decides which share of rotating tests the default tier runs.
DAY = int(os.environ.setdefault("ARENA_TEST_DAY", str(date.today().toordinal())))
REQUIRED = os.environ.get("CI") == "true"


def few() -> settings:
    """A third of the tier's examples, for properties whose examples take long."""
    return settings(max_examples=max(3, settings().max_examples // 3))


# What the running test asked for in vain.
_wanted: list[str] = []
# Failures for want of something: a fixture of a module fails with the same one for each of its tests.
_failures: list[tuple[BaseException, str]] = []


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


def pytest_make_parametrize_id(val: object) -> str | None:
    """The beginning of a long text and a checksum of it, in place of the whole text."""
    if not isinstance(val, str | bytes) or len(val) <= LONGEST_ID:
        return None
    text = val if isinstance(val, str) else val.decode("latin-1")
    start = text[:LONGEST_ID].encode("unicode_escape").decode()
    return f"{start}~{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


@pytest.hookimpl(tryfirst=True)  # pytest-timeout reads its option when it is configured
def pytest_configure(config: pytest.Config) -> None:
    tier: str = config.getoption("tier")
    if config.option.timeout is None:
        config.option.timeout = TIMEOUT_S[tier]
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


SLOW_MODULE = re.compile(
    rb"^pytestmark = (\[.*)?pytest\.mark\.(docker|local|slow|rotating|nightly)\b", re.MULTILINE
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick tier does not import a module of which it would run nothing."""
    if config.getoption("tier") != "quick" or collection_path.suffix != ".py":
        return None
    return bool(SLOW_MODULE.search(collection_path.read_bytes())) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Keep the tests together that share what a module or a folder starts: one worker starts it, once."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None or item.get_closest_marker("xdist_group"):
        return
    used = [definitions[-1] for definitions in info.name2fixturedefs.values()]
    folders = [one.baseid for one in used if one.scope == "session" and one.baseid.count("/") > 0]
    if folders or any(one.scope == "module" for one in used):
        group = min(folders, key=len) if folders else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))


@pytest.hookimpl(trylast=True)  # behind pytest's own sorting
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier = config.getoption("tier")
    left = {item for item in items if _left_out(item, tier)}
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]
    if hasattr(config, "workerinput"):
        items[:] = _interleave(items)


def _interleave(items: list[pytest.Item]) -> list[pytest.Item]:
    """Spread the tests that wait for something outside Python over the first part of those that compute."""
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        mark = item.get_closest_marker("xdist_group")
        groups.setdefault(mark.args[0] if mark else item.nodeid, []).append(item)
    waiting = [group for group in groups.values() if _is_waiting(group[0])]
    computing = [group for group in groups.values() if not _is_waiting(group[0])]
    waiting.sort(key=len, reverse=True)
    step = max(1, int(0.7 * len(computing)) // max(1, len(waiting)))
    mixed: list[list[pytest.Item]] = []
    for number, group in enumerate(waiting):
        mixed += [group, *computing[number * step : (number + 1) * step]]
    mixed += computing[len(waiting) * step :]
    return [item for group in mixed for item in group]


def _is_waiting(item: pytest.Item) -> bool:
    marks = {mark.name for mark in item.iter_markers()}
    return bool(
        SANDBOXES.intersection(getattr(item, "fixturenames", ()))
        or marks & {"docker", "local", "slow"}
    )


def _left_out(item: pytest.Item, tier: str) -> bool:
    marks = {mark.name for mark in item.iter_markers()}
    if (tier == "real") != ("real" in marks):
        return True
    if tier == "quick":
        outside = SANDBOXES.intersection(getattr(item, "fixturenames", ()))
        slow = {"docker", "local", "slow", "rotating", "nightly"}
        return bool(outside or marks & slow or _is_by_night(item))
    return tier == "default" and ("nightly" in marks or _is_by_night(item) or _another_day(item))


def _is_by_night(item: pytest.Item) -> bool:
    """Whether `@pytest.mark.by_day(ID, ...)` names other parameters of the test, which then are nightly."""
    mark = item.get_closest_marker("by_day")
    id_ = f"-{item.callspec.id}-" if mark and hasattr(item, "callspec") else ""
    return bool(id_) and not any(f"-{name}-" in id_ for name in mark.args)  # type: ignore[union-attr]


def _another_day(item: pytest.Item) -> bool:
    """Whether `@pytest.mark.rotating(N)` leaves the test to another one of N days.

    A module that is marked as a whole is run as a whole: what its tests share is made for all of them or
    not at all.
    """
    node, mark = next(item.iter_markers_with_node("rotating"), (item, None))
    return mark is not None and (zlib.crc32(node.nodeid.encode()) + DAY) % mark.args[0] != 0


def pytest_report_header(config: pytest.Config) -> str:
    return f"tier: {config.getoption('tier')}, ARENA_TEST_DAY={DAY}"


class Ending:
    """Closes a session: what was skipped, by reason, and tests that took long for their tier."""

    def __init__(self, tier: str, shared: float) -> None:
        self._tier, self._shared = tier, shared
        self._long: dict[str, float] = {}
        self._tools: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = report.duration / self._shared
        if report.when == "call":
            self._tools += [
                str(row) for name, row in report.user_properties if name == "outside-tool"
            ]
        if report.when == "call" and seconds > LONGEST and self._tier in ("quick", "default"):
            self._long[report.nodeid] = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if any(seconds > TOO_LONG for seconds in self._long.values()) and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._tools:
            rows = ["| tool | pinned | newest | |", "|---|---|---|---|", *sorted(self._tools)]
            terminalreporter.write_line("\n".join(rows))
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
