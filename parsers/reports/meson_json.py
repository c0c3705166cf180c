"""Meson's `testlog.json`, an object for each test as it ends (mesonbuild/mtest.py; 1.0.1 to 1.12.1).

Unlike the JUnit file it has timeouts, signals and expected failures. It has no closing.

Whole: meson's exit status, up to 1.9 the number of bad tests. From 1.10 on (whose objects have `is_fail`)
it is 1 for any number: that meson came to its end is proved, that the file is whole only where none is bad.
"""

from __future__ import annotations

import re
from typing import Any

from parsers.outcomes import BAD, Outcome, TestReport
from parsers.reports._collect import Collector, drop_partial_line
from parsers.reports._json import objects, text_at
from parsers.reports._meson import RESULTS
from parsers.reports._plugin import Example, Format
from parsers.reports._status import was_killed
from parsers.reports._syntax import JSON


def _outcome(test: dict[str, Any]) -> Outcome:
    outcome = RESULTS.get(text_at(test, "result"), Outcome.ERROR)
    code = test.get("returncode")
    killed = isinstance(code, int) and was_killed(code)
    return Outcome.CRASHED if killed and outcome in (Outcome.FAILED, Outcome.ERROR) else outcome


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector, counts = Collector(), True
    for test in objects(drop_partial_line(text), collector):
        if "result" in test and text_at(test, "name"):
            collector.add(text_at(test, "name"), _outcome(test))
            counts = counts and "is_fail" not in test
    bad = sum(count for outcome, count in collector.counts.items() if outcome in BAD)
    if status is None:
        collector.doubt("without meson's exit status the log has no end")
    else:
        collector.expect("bad tests (meson's exit status)", status, bad if counts else min(bad, 1))
    return collector.report(True)


def _detect(text: str) -> bool:
    return (
        re.match(
            r'\s*\{"name": "[^\n]*"result": "[A-Z]+", (?:"is_fail": (?:true|false), )?"starttime":',
            text[:100_000],
        )
        is not None
    )


def _line(name: str, result: str, code: int) -> str:
    return (
        f'{{"name": "{name}", "stdout": "", "result": "{result}", "starttime": 1.5, '
        f'"duration": 0.01, "returncode": {code}, "env": {{}}, "command": ["./m"]}}\n'
    )


_NEW = (
    '{{"name": "demo:{}", "stdout": "", "result": "{}", "is_fail": {}, "starttime": 1.5, '
    '"duration": 0.01, "returncode": {}, "env": {{}}, "command": ["./m"]}}\n'
)
_PASSING = _line("proj / ok", "OK", 0) + _line("proj / long", "OK", 0)
EXAMPLES = (
    Example(
        _PASSING, {"proj / ok": "passed", "proj / long": "passed"}, joined=True, why="a normal run"
    ),
    Example(
        _line("proj / ok", "OK", 0)
        + _line("proj / bad", "FAIL", 1)
        + _line("proj / segv", "FAIL", -11)
        + _line("proj:s2 / skip", "SKIP", 77)
        + _line("proj / xf", "EXPECTEDFAIL", 1)
        + _line("proj / xp", "UNEXPECTEDPASS", 0)
        + _line("proj / hard", "ERROR", 99)
        + _line("proj / time", "TIMEOUT", -15),
        {
            "proj / ok": "passed",
            "proj / bad": "failed",
            "proj / segv": "crashed",
            "proj:s2 / skip": "skipped",
            "proj / xf": "xfailed",
            "proj / xp": "xpassed",
            "proj / hard": "error",
            "proj / time": "timeout",
        },
        status=5,
        why="every result",
    ),
    Example(
        _line("proj / ok", "OK", 0), {"proj / ok": "passed"}, False, status=1, why="one is missing"
    ),
    Example(
        _PASSING,
        {"proj / ok": "passed", "proj / long": "passed"},
        False,
        status=None,
        why="no status",
    ),
    Example(
        _NEW.format("bad", "FAIL", "true", 1) + _NEW.format("tap", "ERROR", "true", -6),
        {"demo:bad": "failed", "demo:tap": "crashed"},
        status=1,
        why="1.12, whose status does not count",
    ),
    Example(
        _NEW.format("ok", "OK", "false", 0),
        {"demo:ok": "passed"},
        False,
        status=1,
        why="1.12: a bad test is missing",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("meson-json", _detect, _parse, EXAMPLES, syntax=(JSON,))
