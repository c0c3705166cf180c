"""What the XML reporters of Catch2 and doctest share: `TestCase` elements, and totals at the end.

Both are written as the tests run: a document in which a `TestCase` stays open ended in a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from parsers.outcomes import Outcome, TestReport
from parsers.reports._collect import Collector
from parsers.reports._xml import Reader, XmlElement


@dataclass(frozen=True)
class CaseDialect:
    """marks: what in a case decides. totals: the element that states counts. hold: compares them."""

    marks: Collection[str]
    name: Callable[[XmlElement], str]
    outcome: Callable[[XmlElement], Outcome]
    totals: str
    hold: Callable[[dict[str, str], Collector], None]


def report(text: str, root: str, dialect: CaseDialect) -> TestReport:
    """Parse a document whose outermost element is `root`; whole once its last totals were parsed."""
    collector = Collector()
    reader = Reader(text, root, {"TestCase"}, dialect.marks, collector)
    totals: dict[str, str] | None = None
    results: list[tuple[str, Outcome]] = []
    for element in reader:
        if element.tag == "TestCase":
            results.append((dialect.name(element), dialect.outcome(element)))
        elif element.tag == dialect.totals:
            totals = element.attributes
    # The second test of a name (in another file) is a test of its own in a document that is whole.
    collector.add_all(results, numbered=reader.is_closed)
    if reader.unfinished is not None:
        collector.add(dialect.name(reader.unfinished), Outcome.CRASHED)
    if totals is not None:
        dialect.hold(totals, collector)
    return collector.report(reader.is_closed and totals is not None)
