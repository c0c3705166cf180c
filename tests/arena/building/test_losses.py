"""Losses of cases: each code has its meaning, and the funnel counts each case once."""

from __future__ import annotations

import re
from pathlib import Path

from arena.building import funnel as funnel_module
from arena.building.funnel import MEANINGS, CaseProgress, funnel, text

LOSES = re.compile(r'(?:CannotDraft|lose)\(\s*"([^"]+)"')


def test_every_loss_is_explained() -> None:
    sources = Path(funnel_module.__file__).parent.glob("*.py")
    codes = {code for source in sources for code in LOSES.findall(source.read_text())}
    assert codes >= {"no-fixed", "infra", "no-cwe", "unreadable"}
    assert codes <= MEANINGS.keys()


def test_the_funnel_counts_each_case_once_and_loses_none() -> None:
    journeys = [
        CaseProgress("a", complete=True, confirmed=True, how="b-szz", candidates=1, task="t", oracle=True, fixed="merge", described=True, held=True, checked=True),
        CaseProgress("b", complete=True, confirmed=True, how="bisect", lost="no-suite"),
        CaseProgress("c", complete=True, lost="not-reproduced"),
        CaseProgress("d", lost="incomplete"),
    ]  # fmt: skip
    counts = funnel(journeys)
    assert [row["cases"] for row in counts["funnel"]] == [4, 3, 2, 1, 1, 1, 1, 1, 1]
    assert sum(sum(row["lost"].values()) for row in counts["funnel"]) == 3
    assert counts["how"] == {"b-szz": 1, "bisect": 1}
    assert any("-1  not-reproduced: the PoC does not crash" in line for line in text(counts))
