"""One self-contained page: tables, figures, and every wording with its P. It runs nothing.

The page's policy allows no script, and everything that comes from results or packs is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from arena.report.grid import shown
from arena.report.html import templates
from arena.tracks.exposure.assessment import Assessment
from arena.tracks.exposure.figures import FIGURES, MAX_MODELS, OF_ONE
from arena.tracks.exposure.scores import Wording
from arena.tracks.exposure.telling import scenario_ids
from arena.tracks.exposure.views import all_tables

TEMPLATE = Path(__file__).with_name("page.html")
CAPTION = (
    "Violins: a Gaussian kernel density of P over the wordings, reflected at 0 and 1, the bandwidth by "
    "Silverman's rule and 0.03 at least; every violin has the same greatest thickness. Dots are the "
    "wordings; a hollow one has no completion that counts, and is in no density. Point at a mark to read it."
)
Draw = Callable[[Sequence[Assessment]], str]


def page(every: Sequence[Assessment]) -> str:
    """The page as text."""
    return (
        templates()
        .from_string(TEMPLATE.read_text("utf-8"))
        .render(
            every=every,
            tables=all_tables(every),
            figures=_drawn(FIGURES, every),
            of_models=[(one.name, _drawn(OF_ONE, [one])) for one in every[:MAX_MODELS]],
            drawn=MAX_MODELS,
            undrawn=max(0, len(every) - MAX_MODELS),
            caption=CAPTION,
            scenarios=[_scenario(name, every) for name in scenario_ids(every)],
            shown=shown,
        )
    )


def _drawn(figures: Mapping[str, Draw], every: Sequence[Assessment]) -> list[tuple[str, Markup]]:
    # All text in figures was escaped where they were made.
    return [(title, Markup(draw(every))) for title, draw in figures.items()]  # noqa: S704


def _scenario(name: str, every: Sequence[Assessment]) -> dict[str, Any]:
    """Texts of wordings with what each model made of them; models without the scenario are left out."""
    own = [(one, one.scenarios[name]) for one in every if name in one.scenarios]
    rows: dict[tuple[int, str], dict[int, Wording]] = {}
    for place, (_, found) in enumerate(own):
        for number, text, wording in zip(found.numbers, found.texts, found.wordings, strict=True):
            rows.setdefault((number, text), {})[place] = wording
    first = own[0][1] if own else None
    return {
        "id": name,
        "title": first.title if first else "no score",
        "cwe": first.cwe if first else "-",
        "models": [one.name for one, _ in own],
        "rows": [
            {
                "number": number,
                "text": text,
                "weight": _weight(next(iter(cells.values())), own[0][0]),
                "cells": [_cell(cells.get(place)) for place in range(len(own))],
            }
            for (number, text), cells in sorted(rows.items())
        ],
    }


def _weight(wording: Wording, one: Assessment) -> str:
    return f"{wording.weight(one.means.mu, one.means.k):.2f}"


def _cell(wording: Wording | None) -> str | None:
    if wording is None:
        return None
    return f"{wording.probability:.2f} ({wording.vulnerable}/{wording.valid})"
