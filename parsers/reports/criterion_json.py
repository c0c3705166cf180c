"""Criterion's `--json=FILE` (tested with 2.4.1, the newest release).

The file is written when all tests have ended; each test is a separate process. A test that calls
exit(0) is PASSED, here as in Criterion's further reports, and looks like any pass.

Messages are not escaped: a failed comparison of texts makes the file no JSON. Each line of a message is
a line of the file, farther in than any key, so that messages are left out before the file is read.

Whole: a JSON document, whose counts of passed, failed and skipped tests agree; a test that crashes is
among the failed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector
from parsers.reports._json import document, objects_at, text_at
from parsers.reports._plugin import Example, Format
from parsers.reports._syntax import JSON

_MESSAGE_LINE = re.compile(r'^ {12}".*"(,?)$', re.MULTILINE)
_STATUS = {
    "PASSED": Outcome.PASSED,
    "FAILED": Outcome.FAILED,
    "SKIPPED": Outcome.SKIPPED,
    "ERRORED": Outcome.ERROR,
}
_ERROR_MESSAGES = {
    "The test crashed.": Outcome.CRASHED,
    "The test timed out.": Outcome.TIMEOUT,
}
_COUNTS = {
    "passed": {Outcome.PASSED},
    "failed": {Outcome.FAILED, Outcome.ERROR, Outcome.CRASHED, Outcome.TIMEOUT},
    "skipped": {Outcome.SKIPPED},
}


def _outcome(test: dict[str, Any]) -> Outcome:
    """The outcome by its status; a test with an unknown status, or without a status, did not pass."""
    outcome = _STATUS.get(text_at(test, "status"), Outcome.ERROR)
    messages = test.get("messages")
    if outcome is Outcome.ERROR and isinstance(messages, list):
        outcomes = (_ERROR_MESSAGES[line] for line in messages if line in _ERROR_MESSAGES)
        return next(outcomes, outcome)
    return outcome


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    root = document(_MESSAGE_LINE.sub(r'""\1', text), collector)
    if not isinstance(root, dict):
        return collector.report(False)
    total: Counter[Outcome] = Counter()
    for suite in objects_at(root, "test_suites"):
        counts: Counter[Outcome] = Counter()
        for test in objects_at(suite, "tests"):
            outcome = _outcome(test)
            collector.add(f"{text_at(suite, 'name')}::{text_at(test, 'name')}", outcome)
            counts[outcome] += 1
        _compare_counts(suite, counts, collector)
        total += counts
    _compare_counts(root, total, collector)
    return collector.report("test_suites" in root)


def _compare_counts(
    stating: dict[str, Any], counts: Counter[Outcome], collector: Collector
) -> None:
    name = text_at(stating, "name") or "all suites"
    for key, outcomes in _COUNTS.items():
        stated = stating.get(key)
        if isinstance(stated, int):
            collector.expect(f"{name}: {key}", stated, sum(counts[outcome] for outcome in outcomes))
        else:
            collector.doubt(f"{name}: no count of tests that {key}")


def _detect(text: str) -> bool:
    head = text[:2_000].lstrip()
    return head.startswith("{") and '"id": "Criterion v' in head


_RUN = """\
{
  "id": "Criterion v2.4.1",
  "passed": 2,
  "failed": 3,
  "errored": 1,
  "skipped": 1,
  "test_suites": [
    {
      "name": "core",
      "passed": 2,
      "failed": 3,
      "errored": 1,
      "skipped": 1,
      "tests": [
        {
          "name": "passes",
          "assertions": 1,
          "status": "PASSED"
        },
        {
          "name": "fails",
          "assertions": 1,
          "status": "FAILED",
          "messages": [
            "program.c:5: The expression 1 == 2 is false."
          ]
        },
        {
          "name": "skips",
          "assertions": 0,
          "status": "SKIPPED",
          "messages": ["The test was skipped."]
        },
        {
          "name": "slow",
          "assertions": 0,
          "status": "ERRORED",
          "messages": ["The test timed out."]
        },
        {
          "name": "middle",
          "assertions": 0,
          "status": "ERRORED",
          "messages": ["The test crashed."]
        },
        {
          "name": "same",
          "assertions": 1,
          "status": "PASSED"
        }
      ]
    }
  ]
}
"""
_OUTCOMES = {
    "core::passes": "passed",
    "core::fails": "failed",
    "core::skips": "skipped",
    "core::slow": "timeout",
    "core::middle": "crashed",
    "core::same": "passed",
}
EXAMPLES = (
    Example(_RUN, _OUTCOMES, status=1, why="each outcome"),
    Example(
        _RUN.replace("The expression", '"\\a "status": "PASSED",'),
        _OUTCOMES,
        status=1,
        why="a message that is not escaped",
    ),
    Example(_RUN[:-20], {}, False, status=1, why="truncated"),
    Example("", {}, False, status=134, why="empty"),
    Example(
        _RUN.replace('"passed": 2', '"passed": 3', 1),
        _OUTCOMES,
        False,
        status=1,
        why="a count that does not agree",
    ),
    Example(
        _RUN.replace('"status": "FAILED"', '"status": "NEW WORD"'),
        {**_OUTCOMES, "core::fails": "error"},
        status=1,
        why="a status of another release is no pass",
    ),
)
PLUGIN = Format("criterion-json", _detect, _parse, EXAMPLES, syntax=(JSON,))
