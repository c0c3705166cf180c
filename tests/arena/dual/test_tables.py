"""Tables and figures of stored attempts: what they tell, and that nothing of an attempt runs in them."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.grid import Table, to_csv, to_markdown
from arena.tracks.dual.evidence import rows_of
from arena.tracks.dual.figures import FIGURES, figure_bars, figure_cwe, figure_gaps
from arena.tracks.dual.metrics import measure
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.tables import (
    DualLine,
    all_tables,
    gaps_table,
    group_table,
    lines_of,
    main_table,
    rates_table,
    states_table,
)
from arena.tracks.dual.track import DualTrack
from arena.tracks.dual.version import SCORER
from tests.arena.dual.scored import attempts, facts_of, row

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\"'=cmd|x"

GOOD = [
    row("a", "0", "pp", "pp", cwe="CWE-89"),
    row("b", "0", "pp", "pf", cwe="CWE-22"),
    row("c", "0", "pf", "pp", cwe="CWE-22"),
    row("d", "0", "pp", "pp", cwe="CWE-22"),
]
POOR = [
    row("a", "0", "ff", "pf"),
    row("b", "0", "ff", "ff"),
    *(SampleResult(task=task, sample="1", state=State.MISSING) for task in "ab"),
]
FAULTY = [row("a", "0", "p", "p"), row("a", "1", "e", "e", health="infra")]
NAMES = {id(GOOD): "good", id(POOR): "poor", id(FAULTY): "faulty"}


def columns(*every: list[SampleResult]) -> list[DualLine]:
    """Lines of what is stored of these."""
    return [
        replace(lines_of(attempts(own), facts_of(own))[0], name=NAMES.get(id(own), "made"))
        for own in every
    ]


def dicts(table: Table) -> list[dict[str, Any]]:
    assert all(len(cells) == len(table.columns) for cells in table.rows)
    return [dict(zip(table.columns, cells, strict=True)) for cells in table.rows]


def test_the_main_table_has_the_paper_s_columns_with_intervals_and_n() -> None:
    table = main_table(columns(GOOD, POOR))
    assert table.heading == "Table 3. Main results"
    spans = ("95 %",)
    assert [c for c in table.columns if c not in spans] == [
        "Model",
        "pass@1",
        "secpass@1",
        "PR",
        "SPR",
        "n",
    ]
    good, poor = table.rows
    assert (good[0], good[1], good[3], good[5], good[7], good[9]) == (
        "good",
        75.0,
        50.0,
        87.5,
        87.5,
        4,
    )
    assert (poor[1], poor[3], poor[5], poor[7], poor[9]) == (0.0, 0.0, 0.0, 12.5, 4)
    assert all(cell is not None for cells in table.rows for cell in cells)


def test_an_interval_of_equal_tasks_is_wilson_s() -> None:
    rows = [row(str(n), "0", "p", "f") for n in range(10)]
    (cells,) = main_table(columns(rows)).rows
    assert cells[2] == "72.2-100.0 w" and cells[4] == "0.0-27.8 w"


def test_open_rates_are_told_where_samples_have_no_verdict() -> None:
    by_rate = {told["rate"]: told for told in dicts(rates_table(columns(FAULTY)))}
    assert by_rate["pass@1"]["open to"] == "50.0-100.0" and by_rate["pass@1"]["tasks"] == 1
    assert by_rate["spr"]["tests"] == 1
    assert "1 samples have no verdict" in main_table(columns(FAULTY)).note
    assert {told["open to"] for told in dicts(rates_table(columns(GOOD)))} == {None}


def test_gaps_by_hand() -> None:
    (told,) = dicts(gaps_table(columns(GOOD)))
    assert told["decline %"] == pytest.approx(100 / 3)
    assert (told["PR-pass@1"], told["SPR-secpass@1"], told["secure@1"]) == (12.5, 37.5, 75.0)
    assert dicts(gaps_table(columns(POOR)))[0]["decline %"] is None


def test_states_tell_what_is_missing() -> None:
    told = {one["state"]: one for one in dicts(states_table(columns(POOR)))}
    assert told["missing"]["samples"] == 2 and told["missing"]["%"] == 50.0
    assert told["missing"]["n"] == 4 and told["missing"]["95 %"] == "15.0-85.0"


def test_groups_by_cwe_are_in_natural_order() -> None:
    found = dicts(group_table(columns(GOOD), "cwe"))
    assert [told["cwe"].split()[0] for told in found] == ["CWE-22", "CWE-89"]
    assert (found[0]["tasks"], found[0]["n"], found[1]["SPR"]) == (3, 3, 100.0)


def test_csv_and_markdown_hold_cells_together() -> None:
    hostile = attempts([row("a", "0", "p", "p")], "=1+1|<b>*x*\n| y")
    hostile = [replace(one, key=replace(one.key, agent="=direct")) for one in hostile]
    tables = all_tables(lines_of(hostile, {}))
    read = list(csv.reader(io.StringIO(to_csv(tables))))
    assert not [cell for cells in read for cell in cells if cell.startswith(("=", "+", "@"))]
    lines = [line for line in to_markdown(tables[:1]).split("\n") if line.startswith("|")]
    assert len(lines) == 3 and "<b>" not in lines[2]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(tables[0].columns) + 1}


def titles(svg: str) -> list[str]:
    space = "{http://www.w3.org/2000/svg}"
    return [title.text or "" for title in ET.fromstring(svg).iter(f"{space}title")]


def test_figures_tell_each_rate() -> None:
    lines = columns(GOOD, POOR)
    assert any(
        t.startswith("good: pass@1 75.0 % (") and t.endswith("4 tasks")
        for t in titles(figure_bars(lines))
    )
    assert "good: SPR 87.5 %" in titles(figure_gaps(lines))
    assert "+37.5 points" in figure_gaps(lines)
    told = titles(figure_cwe(lines))
    assert "CWE-22, good: 83 % of 6 tests" in told and "CWE-89, poor: - % of 0 tests" in told


def test_bars_are_to_scale() -> None:
    space = "{http://www.w3.org/2000/svg}"
    drawn = list(ET.fromstring(figure_bars(columns(GOOD))).iter(f"{space}rect"))[2:]
    whole, joint = (float(rect.get("width", "0")) for rect in drawn)
    assert joint / whole == pytest.approx(50 / 75, abs=1e-2)


def hostile_samples(text: str) -> list[SampleResult]:
    base = row(
        text or "t", text, "pf", "p-", domain=text, level=text, language=text, why=text, cwe=text
    )
    changed = {"reason": text, "observed": text, "oracle": text}
    own = tuple(t.model_copy(update={**changed, "id": t.id + text}) for t in base.tests)
    return [base.model_copy(update={"tests": own})]


@given(st.text(max_size=40))
def test_figures_are_well_formed_whatever_the_names(text: str) -> None:
    for draw in FIGURES.values():
        titles(draw(lines_of(attempts(hostile_samples(text), text), {})))


def test_every_rate_is_told_of_what_is_stored() -> None:
    """Nothing is lost on the way through the evidence: rates are those of what the scorer found."""
    rows = [*GOOD, row("e", "0", "p-", "--"), row("e", "1", "", "", health="infra")]
    stored = rows_of(attempts(rows), facts_of(rows))
    assert measure(stored) == measure([one.model_copy(update={"tests": one.tests}) for one in rows])


@pytest.mark.parametrize("spoilt", ["tests", "program", "not_listed", "kind", "twice"])
def test_evidence_without_all_tests_has_no_verdict(spoilt: str) -> None:
    """Of an earlier release, or of an imported run: nothing is made up, and nothing raises."""
    (attempt,) = attempts([row("a", "0", "pp", "p")])
    told = dict(attempt.evidence)
    if spoilt == "not_listed":
        told["not_listed"] = 2
    elif spoilt == "kind":
        told["tests"] = [{**told["tests"][0], "kind": "odd"}, 7]
    elif spoilt == "twice":
        told["tests"] = [told["tests"][0]] * 2
    else:
        del told[spoilt]
    tables = DualTrack.tables([replace(attempt, evidence=told)], {})
    (cells,) = tables[0].rows
    assert set(cells[1:-1]) == {None} and "1 samples have no verdict" in tables[0].note


def test_an_earlier_release_s_evidence_is_read() -> None:
    (attempt,) = attempts([row("a", "0", "pp", "f")])
    told = [
        {("reason" if name == "why" else name): test[name] for name in test if name != "oracles"}
        for test in attempt.evidence["tests"]
    ]
    old = {**attempt.evidence, "tests": told, "not_listed": 0}
    (cells,) = main_table(lines_of([replace(attempt, evidence=old)], {})).rows
    assert (cells[1], cells[3], cells[7]) == (100.0, 0.0, 0.0)


def test_rates_at_k_up_to_the_replicates() -> None:
    rows = [row("a", str(n), "f" if n else "p", "p") for n in range(3)]
    found = {told["rate"]: told["%"] for told in dicts(rates_table(columns(rows)))}
    assert found["pass@1"] == pytest.approx(100 / 3) and found["pass@3"] == 100.0
    assert "pass@5" not in found


def test_columns_are_compared_task_by_task() -> None:
    rates, pairs = DualTrack.compare(attempts(GOOD, "good"), attempts(POOR, "poor"), {})
    assert rates.title == "Second minus first over 2 tasks"
    by_rate = {told["rate"]: told for told in dicts(rates)}
    assert (by_rate["spr"]["first %"], by_rate["spr"]["second %"]) == (75.0, 12.5)
    assert "only in the first: c, d" in rates.note
    assert {told["suites"]: told["only first"] for told in dicts(pairs)} == {
        "pass": 2,
        "secure": 1,
        "secure-pass": 1,
    }
    assert DualTrack.compare(attempts(GOOD), [], {}) == []


def test_versions_of_the_scorer_do_not_compare() -> None:
    first, second = attempts(GOOD, "good"), attempts(GOOD, "again")
    newer = [
        replace(one, evidence=one.evidence | {"program": one.evidence["program"] | {"scorer": 99}})
        for one in second
    ]
    told = f"not scored alike, versions of the scorer: {SCORER}, 99"
    assert told in DualTrack.compare(first, newer, {})[0].note
    assert told not in DualTrack.compare(first, second, {})[0].note


def test_metrics_are_of_all_and_of_each_column() -> None:
    found = DualTrack.metrics([*attempts(GOOD, "good"), *attempts(POOR, "poor")], {})
    assert set(found["columns"]) == {"direct good", "direct poor"}
    assert found["columns"]["direct good"]["summary"]["pass@1"] == 0.75
    assert found["summary"]["n"] == 8
    assert DualTrack.metrics([], {})["summary"]["n"] == 0
    assert DualTrack.tables([], {}) == DualTrack.figures([], {}) == []
