"""`ctest --output-junit` (cmake 3.21 and later; tested with 3.25).

`notrun` tests bear a `skipped` whatever the reason, so the reason decides. 3.25 gives a crash and
a timeout an empty failure message; where a message names them it is believed.

Whole: the root's end, and the counts of tests, failures and skipped tests. Of several tries it has the last.
"""

from __future__ import annotations

from parsers.outcomes import Outcome, TestReport
from parsers.reports._junit import Dialect, message, report
from parsers.reports._plugin import QUOTING, Example, Format
from parsers.reports._syntax import XML
from parsers.reports._xml import XmlElement, head_tags

_STATUSES = {"run": Outcome.PASSED, "fail": Outcome.FAILED, "disabled": Outcome.SKIPPED}
_SKIPS = ("SKIP_RETURN_CODE", "SKIP_REGULAR_EXPRESSION")
_FAILURES = (
    ("timeout", Outcome.TIMEOUT),
    ("segfault", Outcome.CRASHED),
    ("aborted", Outcome.CRASHED),
    ("killed", Outcome.CRASHED),
    ("exception", Outcome.CRASHED),
    ("illegal", Outcome.CRASHED),
    ("numerical", Outcome.CRASHED),
)


def _outcome(case: XmlElement) -> Outcome:
    state = case.attributes.get("status", "")
    if state == "notrun":
        skipped = message(case, "skipped").startswith(_SKIPS)
        return Outcome.SKIPPED if skipped else Outcome.ERROR
    outcome = _STATUSES.get(state, Outcome.ERROR)
    if outcome is Outcome.FAILED:
        text = message(case, "failure")[:40].lower()
        return next((named for sign, named in _FAILURES if sign in text), outcome)
    return Outcome.FAILED if case.marks and outcome is Outcome.PASSED else outcome


_DIALECT = Dialect(name=lambda case: case.attributes.get("name", ""), outcome=_outcome)


def _detect(text: str) -> bool:
    """Whether the document is CTest's: a suite with `disabled` and `hostname`, and no suite around it."""
    tags = head_tags(text)[:1]
    return any(t == "testsuite" and "disabled=" in a and "hostname=" in a for t, a in tags)


def _parse(text: str, source: str, status: int | None) -> TestReport:
    return report(text, _DIALECT)


def _case(name: str, state: str, inside: str = "") -> str:
    return (
        f'\t<testcase name="{name}" classname="{name}" time="0.002" status="{state}">\n'
        f"{inside}\t\t<system-out></system-out>\n\t</testcase>\n"
    )


def _document(counts: str, *cases: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="(empty)"\n\t'
        f'{counts}\n\thostname=""\n\ttime="1"\n\ttimestamp="2024-05-01T09:14:42"\n\t>\n'
        + "".join(cases)
        + "</testsuite>\n"
    )


_FAILED = '\t\t<failure message=""/>\n'
_RUN = _document(
    'tests="7"\n\tfailures="3"\n\tdisabled="1"\n\tskipped="2"',
    _case("t_ok", "run"),
    _case("t_bad", "fail", _FAILED),
    _case("t_segv", "fail", '\t\t<failure message="SEGFAULT"/>\n'),
    _case("t_time", "fail", '\t\t<failure message="Timeout"/>\n'),
    _case("t_skip", "notrun", '\t\t<skipped message="SKIP_RETURN_CODE=77"/>\n'),
    _case("t_missing", "notrun", '\t\t<skipped message="Unable to find executable"/>\n'),
    _case("t_disabled", "disabled"),
)
_PASSING = _document(
    'tests="2"\n\tfailures="0"\n\tdisabled="0"\n\tskipped="0"',
    _case("t_ok", "run"),
    _case("name with space", "run"),
)
EXAMPLES = (
    Example(_PASSING, {"t_ok": "passed", "name with space": "passed"}, why="a normal run"),
    Example(
        _RUN,
        {
            "t_ok": "passed",
            "t_bad": "failed",
            "t_segv": "crashed",
            "t_time": "timeout",
            "t_skip": "skipped",
            "t_missing": "error",
            "t_disabled": "skipped",
        },
        status=8,
        why="every status",
    ),
    Example(
        _PASSING.partition('\t<testcase name="name')[0],
        {"t_ok": "passed"},
        False,
        why="truncated",
    ),
    Example("", {}, False, why="empty"),
)
PLUGIN = Format("ctest-junit", _detect, _parse, EXAMPLES, precedence=QUOTING, syntax=(XML,))
