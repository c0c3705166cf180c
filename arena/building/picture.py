"""The funnel as a self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.building.funnel import MEANINGS
from arena.report.html import templates
from arena.report.text import visible

TEMPLATE = Path(__file__).with_name("funnel.html")


def picture(counts: dict[str, Any]) -> str:
    """HTML of what `arena.building.funnel.funnel` gives; what comes from cases is escaped."""
    template = templates().from_string(TEMPLATE.read_text("utf-8"))
    total = counts["funnel"][0]["cases"]
    return template.render(counts=counts, total=total, meanings=MEANINGS, visible=visible)
