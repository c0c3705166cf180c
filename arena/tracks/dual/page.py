"""One self-contained page: tables, figures, and each sample down to each test.

The page runs one script, its own, which the page's policy names by its digest; what comes from results is
data to it, and set as text only. Samples and tests are built when they are opened.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arena.report.grid import shown
from arena.report.html import templates
from arena.tracks.dual.facts import Facts
from arena.tracks.dual.figures import FIGURES
from arena.tracks.dual.metrics import cwes_of, state_of
from arena.tracks.dual.results import Result, SampleResult, TestResult
from arena.tracks.dual.views import Line, all_tables

TEMPLATE = Path(__file__).with_name("page.html")
SCRIPT = Path(__file__).with_name("drilldown.js")
MAX_TEXT = 2_000
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
"""What could end a script element, as JSON may write it."""


def page(
    lines: Sequence[Line],
    families: Mapping[str, Sequence[Line]] | None = None,
    facts: Facts | None = None,
) -> str:
    """The page as text. `facts`: inputs and expected values, as far as a pack tells them."""
    named = families or {}
    every = list({id(line): line for own in (lines, *named.values()) for line in own}.values())
    script = SCRIPT.read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # What goes in as Markup is ours, or was escaped where it was made.
    return (
        templates()
        .from_string(TEMPLATE.read_text("utf-8"))
        .render(
            lines=every,
            tables=all_tables(lines, named),
            figures=[(title, Markup(draw(every))) for title, draw in FIGURES.items()],  # noqa: S704
            shown=shown,
            digest=f"sha256-{digest}",
            data=Markup(_json(_data([line.result for line in every], facts or {}))),  # noqa: S704
            script=Markup(script),  # noqa: S704
        )
    )


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    for mark, written in UNSAFE.items():
        text = text.replace(mark, written)
    return text


def _data(results: Sequence[Result], facts: Facts) -> dict[str, Any]:
    tasks = {sample.task for result in results for sample in result.samples}
    return {
        "results": [
            {"name": result.name, "samples": [_sample(sample) for sample in result.samples]}
            for result in results
        ],
        "facts": {
            task: {name: vars(test) for name, test in tests.items()}
            for task, tests in facts.items()
            if task in tasks
        },
    }


def _sample(sample: SampleResult) -> dict[str, Any]:
    names = ("task", "sample", "language", "domain", "level")
    return {
        **{name: getattr(sample, name) for name in names},
        "state": state_of(sample),
        "why": _cut(sample.why),
        "tests": [_test(test) for test in sample.tests],
    }


def _test(test: TestResult) -> dict[str, Any]:
    oracles = [
        {"oracle": o.oracle, "verdict": o.verdict, "reason": _cut(o.reason), "judge": o.judge}
        for o in test.oracles
    ]
    return {
        **{name: getattr(test, name) for name in ("id", "kind", "verdict", "cwe")},
        "cwes": list(cwes_of(test.cwe)) if test.kind == "security" else [],
        "oracle": _cut(test.oracle),
        "observed": _cut(test.observed),
        "reason": _cut(test.reason),
        "oracles": oracles,
    }


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} [...]"
