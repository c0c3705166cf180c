"""What the JUnit-like formats share: `testcase` elements in suites that state their counts."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector
from parsers.reports._xml import Reader, XmlElement, head_tags

_SUITES = ("testsuites", "testsuite")
CHECKS_NAMESPACE = "check.sourceforge.net"
_MARKS = ("failure", "error", "skipped")
# What a suite states, and the mark that its test cases bear.
_STATED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def plain_outcome(case: XmlElement) -> Outcome:
    """The outcome by JUnit's three marks; a case without a mark passed."""
    # A test case can have several marks: `skipped` beside a failure must not hide the failure.
    if "error" in case.marks:
        return Outcome.ERROR
    if "failure" in case.marks:
        return Outcome.FAILED
    if "skipped" in case.marks:
        return Outcome.SKIPPED
    return Outcome.PASSED


def class_and_name(case: XmlElement, between: str) -> str:
    """`classname` and `name`, joined; only the name when there is no class."""
    classname = case.attributes.get("classname", "")
    name = case.attributes.get("name", "")
    return f"{classname}{between}{name}" if classname else name


def message(case: XmlElement, mark: str) -> str:
    """The message of a test case's first `mark`: its attribute, else its text."""
    marked = case.marks.get(mark)
    return (marked[0].attributes.get("message") or marked[0].text()) if marked else ""


def count_marks(case: XmlElement) -> list[str]:
    """What a test case adds to the counts of its suites: itself, and each kind of mark once."""
    return ["testcase", *case.marks]


def never(suite: XmlElement, attribute: str, stated: int) -> bool:
    """No count is excused."""
    return False


@dataclass(frozen=True)
class Dialect:
    """Where JUnit-like formats differ.

    `loose`: (element, attribute) pairs whose counts follow different rules and are not compared.
    `counted`: what a test case adds to the counts. `excused`: whether a suite's count that differs from the
    results is no doubt. `numbered`: a second test of a name is a separate test.
    `marks`: further elements of a test case that its outcome depends on.
    `outputs`: elements of a suite itself that `suite` looks at, when the suite ends, among its marks.
    """

    name: Callable[[XmlElement], str]
    outcome: Callable[[XmlElement], Outcome] = plain_outcome
    loose: Collection[tuple[str, str]] = field(default_factory=frozenset)
    counted: Callable[[XmlElement], list[str]] = count_marks
    excused: Callable[[XmlElement, str, int], bool] = never
    numbered: bool = False
    marks: Collection[str] = ()
    outputs: Collection[str] = ()
    suite: Callable[[XmlElement, Collector], None] = lambda suite, collector: None


def read(text: str, dialect: Dialect, collector: Collector) -> bool:
    """Read a JUnit-like document into `collector`; returns whether the document's end was reached.

    The counts that suites state are compared with the results.
    """
    tags = [tag for tag, _ in head_tags(text)]
    root = "testsuites" if "testsuites" in tags else "testsuite"
    reader = Reader(
        text, root, {"testcase", *dialect.outputs}, {*_MARKS, *dialect.marks}, collector
    )
    results: list[tuple[str, Outcome]] = []
    for element in reader:
        if element.tag == "testcase":
            results.append((dialect.name(element), dialect.outcome(element)))
            _tally(element, dialect.counted(element))
        elif element.tag in _SUITES:
            _compare_counts(element, dialect, collector)
            dialect.suite(element, collector)
        elif element.tag in dialect.outputs and element.parent is not None:
            element.parent.mark(element)
    if reader.unfinished is not None and reader.unfinished.tag == "testcase":
        collector.problem(f"broken off in {dialect.name(reader.unfinished)}")
    collector.add_all(results, numbered=dialect.numbered and reader.is_closed)
    return reader.is_closed


def report(text: str, dialect: Dialect) -> TestReport:
    """Parse a JUnit-like document."""
    collector = Collector()
    return collector.report(read(text, dialect, collector))


def is_junit(text: str) -> bool:
    """Whether the document is JUnit-like at all; Check's has its root's name, and nothing else of it."""
    tags = head_tags(text)[:2]
    return any(tag in _SUITES and CHECKS_NAMESPACE not in rest for tag, rest in tags)


def _tally(case: XmlElement, marks: list[str]) -> None:
    above = case.parent
    while above is not None:
        above.tally.update(marks)
        above = above.parent


def _compare_counts(suite: XmlElement, dialect: Dialect, collector: Collector) -> None:
    for attribute, mark in _STATED.items():
        stated = suite.attributes.get(attribute, "")
        # Not every tool writes all four counts: Meson's root has none of skipped tests.
        if not stated.isdecimal() or len(stated) > 9:
            continue
        name, count = suite.attributes.get("name", ""), suite.tally[mark]
        if (suite.tag, attribute) in dialect.loose:
            continue
        if int(stated) != count and not dialect.excused(suite, attribute, int(stated)):
            collector.expect(f"{suite.tag} {name}: {attribute}", int(stated), count)
