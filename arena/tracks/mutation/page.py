"""One self-contained page over any results: tables, figures, and each suite with its kills. No scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from arena.report.grid import shown
from arena.report.html import templates
from arena.report.text import visible
from arena.tracks.mutation.figures import figure_2, figure_3
from arena.tracks.mutation.results import Baseline, Result, SampleResult
from arena.tracks.mutation.views import TABLES, lines_of, tables

TEMPLATE = Path(__file__).with_name("page.html")
MAX_REASON = 600


def page(results: Sequence[Result], baselines: Sequence[Baseline]) -> str:
    """The page as text; all that comes from files is escaped, by the template engine or by `figures`."""
    lines = lines_of(results)
    return (
        templates()
        .from_string(TEMPLATE.read_text("utf-8"))
        .render(
            results=results,
            baselines=baselines,
            tables=tables(results, baselines, TABLES),
            figures=(
                ("Figure 2. Kills by category", Markup(figure_2(lines))),  # noqa: S704 - escaped there
                ("Figure 3. SMS by CWE", Markup(figure_3(lines))),  # noqa: S704 - escaped there
            ),
            shown=shown,
            visible=visible,
            heading=heading,
            cut=MAX_REASON,
        )
    )


def heading(sample: SampleResult) -> str:
    """A suite's line in the page."""
    killed = sum(mutant.killed for mutant in sample.mutants)
    semantic = sum(mutant.category == "semantic" for mutant in sample.mutants)
    ended = sample.state if sample.health == "ok" else sample.health
    which = " ".join(filter(None, (sample.prompt, str(sample.sample) if sample.sample else "")))
    counts = f"{killed} of {len(sample.mutants)} killed, {semantic} semantically"
    return visible(f"{sample.id} {which} {sample.cwe}: {ended}; {counts}")
