"""GoogleTest's `--gtest_output=json` (docs/advanced.md of googletest; tested with 1.12.1).

The file is written at the end of a run: a crash leaves none, or an old file. A cut file is not read.

Whole: a JSON document, whose counts of tests and failures agree.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector
from parsers.reports._json import document, objects_at, text_at
from parsers.reports._plugin import Example, Format
from parsers.reports._syntax import JSON
from parsers.reports.gtest_xml import OUTSIDE


def _outcome(test: dict[str, Any]) -> Outcome:
    if test.get("failures"):
        return Outcome.FAILED
    ran = text_at(test, "status") == "RUN"
    skipped = text_at(test, "result") in ("SKIPPED", "SUPPRESSED")
    return Outcome.PASSED if ran and not skipped else Outcome.SKIPPED


def _parse(text: str, source: str, status: int | None) -> TestReport:
    collector = Collector()
    root = document(text, collector)
    if not isinstance(root, dict):
        return collector.report(False)
    total: Counter[Outcome] = Counter()
    for suite in objects_at(root, "testsuites"):
        counts: Counter[Outcome] = Counter()
        for test in objects_at(suite, "testsuite"):
            above = text_at(test, "classname") or text_at(suite, "name")
            if not text_at(test, "name"):  # a suite's set-up that failed (1.18); in no count
                collector.add(f"{above} > (fixture)", _outcome(test))
                continue
            outcome = _outcome(test)
            collector.add(f"{above}.{text_at(test, 'name')}", outcome)
            counts[outcome] += 1
        if text_at(suite, "name") != OUTSIDE:
            _compare_counts(suite, counts, collector)
        total += counts
    _compare_counts(root, total, collector)
    return collector.report("tests" in root)


def _compare_counts(
    stating: dict[str, Any], counts: Counter[Outcome], collector: Collector
) -> None:
    for key, count in (("tests", sum(counts.values())), ("failures", counts[Outcome.FAILED])):
        stated = stating.get(key)
        if isinstance(stated, int):
            collector.expect(f"{text_at(stating, 'name')}: {key}", stated, count)


def _detect(text: str) -> bool:
    head = text[:2_000].lstrip()
    return head.startswith("{") and '"tests"' in head and '"testsuites"' in head


_RUN = """\
{
  "tests": 4,
  "failures": 1,
  "disabled": 1,
  "errors": 0,
  "timestamp": "2024-05-01T09:14:35Z",
  "time": "0s",
  "name": "AllTests",
  "testsuites": [
    {
      "name": "Dec",
      "tests": 4,
      "failures": 1,
      "disabled": 1,
      "errors": 0,
      "testsuite": [
        {"name": "Empty", "status": "RUN", "result": "COMPLETED", "classname": "Dec"},
        {
          "name": "Bad", "status": "RUN", "result": "COMPLETED", "classname": "Dec",
          "failures": [{"failure": "a.cc:5\\nExpected equality", "type": ""}]
        },
        {"name": "Skip", "status": "RUN", "result": "SKIPPED", "classname": "Dec"},
        {"name": "DISABLED_Later", "status": "NOTRUN", "result": "SUPPRESSED", "classname": "Dec"}
      ]
    }
  ]
}
"""
_PASSING = """\
{
  "tests": 2,
  "failures": 0,
  "name": "AllTests",
  "testsuites": [
    {
      "name": "All\\/P",
      "tests": 2,
      "failures": 0,
      "testsuite": [
        {"name": "Odd\\/0", "status": "RUN", "result": "COMPLETED", "classname": "All\\/P"},
        {"name": "Odd\\/1", "status": "RUN", "result": "COMPLETED", "classname": "All\\/P"}
      ]
    }
  ]
}
"""
EXAMPLES = (
    Example(_PASSING, {"All/P.Odd/0": "passed", "All/P.Odd/1": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "Dec.Empty": "passed",
            "Dec.Bad": "failed",
            "Dec.Skip": "skipped",
            "Dec.DISABLED_Later": "skipped",
        },
        status=1,
        why="a failure, a skipped and a disabled test",
    ),
    Example(_PASSING[:-20], {}, False, status=134, why="truncated"),
    Example("", {}, False, status=134, why="empty"),
)
PLUGIN = Format("gtest-json", _detect, _parse, EXAMPLES, crash=Outcome.FAILED, syntax=(JSON,))
