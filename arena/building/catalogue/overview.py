"""The entries of a catalogue, as rows and as a table for documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arena.building.catalogue.entries import CatalogueEntry

COLUMNS = (
    *("project", "case", "cwe", "lines", "vic", "poc"),
    *("tests", "failing", "labels", "kinds", "minutes"),
)


def row_of(entry: CatalogueEntry) -> dict[str, Any]:
    """An entry's facts by name of column.

    lines: that gold adds and removes. vic: how it was determined. failing: tests that fail without gold.
    minutes: wall time of the build, where it was added.
    """
    case, expected = entry.case, entry.case.expected
    origin = case.poc.origin if case.poc else None
    labels = expected.labels
    return {
        "project": case.project,
        "case": case.id,
        "cwe": " ".join(case.cwe),
        "lines": expected.lines,
        "vic": case.proof.how if case.proof else "",
        "poc": "campaign"
        if origin and origin.fuzzing
        else "commit"
        if origin and origin.commit
        else "image",
        "tests": expected.tests,
        "failing": None if expected.failing is None else len(expected.failing),
        "labels": f"gold {labels.gold}, fixed {labels.fixed}, empty {labels.empty}",
        "kinds": " ".join(expected.kinds),
        "minutes": expected.minutes,
    }


def summary_of(rows: Sequence[dict[str, Any]]) -> str:
    """A line: how many tasks of how many projects."""
    projects = Counter(row["project"] for row in rows)
    return f"{len(rows)} case(s) of {len(projects)} project(s)"


def markdown_table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table of Markdown, ended by a line end."""
    head = [" | ".join(COLUMNS), " | ".join("---" for _ in COLUMNS)]
    body = [" | ".join(_cell(row[name]) for name in COLUMNS) for row in rows]
    return "".join(f"| {line} |\n" for line in (*head, *body))


def _cell(value: object) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
