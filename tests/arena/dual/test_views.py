"""Tables, figures and the page: what they tell, and that nothing of a result runs in them."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.grid import Table, to_csv, to_markdown
from arena.tracks.dual.facts import TestFacts
from arena.tracks.dual.figures import FIGURES, figure_bars, figure_cwe, figure_gaps
from arena.tracks.dual.page import SCRIPT, TEMPLATE, page
from arena.tracks.dual.results import Result
from arena.tracks.dual.views import (
    all_tables,
    gaps_table,
    group_table,
    lines_of,
    main_table,
    print_tables,
    rates_table,
    states_table,
)
from tests.arena.dual.scored import result, row

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\"'=cmd|x"

GOOD = result(
    row("a", "0", "pp", "pp", cwe="CWE-89"),
    row("b", "0", "pp", "pf", cwe="CWE-22"),
    row("c", "0", "pf", "pp", cwe="CWE-22"),
    row("d", "0", "pp", "pp", cwe="CWE-22"),
    name="good",
)
POOR = result(row("a", "0", "ff", "pf"), row("b", "0", "ff", "ff"), name="poor", k=2)
FAULTY = result(
    row("a", "0", "p", "p"), row("b", "0", "e", "e", health="infra"), name="faulty", k=1
)


def dicts(table: Table) -> list[dict[str, Any]]:
    assert all(len(cells) == len(table.columns) for cells in table.rows)
    return [dict(zip(table.columns, cells, strict=True)) for cells in table.rows]


def test_the_main_table_has_the_paper_s_columns_with_intervals_and_n() -> None:
    table = main_table(lines_of([GOOD, POOR]))
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
    (cells,) = main_table(lines_of([result(*rows)])).rows
    assert cells[2] == "72.2-100.0 w" and cells[4] == "0.0-27.8 w"


def test_families_are_numbered_after_the_main_table() -> None:
    lines = lines_of([GOOD, POOR])
    tables = all_tables(lines[:1], {"Size": lines, "Tuning": lines[1:]}, ["cwe"])
    assert [table.number for table in tables] == [3, 4, 5, 0, 0, 0, 0]
    assert tables[1].heading == "Table 4. Size" and len(tables[1].rows) == 2
    assert tables[1].columns == tables[0].columns
    assert [cells[0] for cells in tables[5].rows] == ["good", "poor", "poor"]


def test_an_unknown_group_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="--by: 'colour' is none of language, domain"):
        all_tables(lines_of([GOOD]), groups=["colour"])


def test_open_rates_are_told_where_samples_have_no_verdict() -> None:
    by_rate = {told["rate"]: told for told in dicts(rates_table(lines_of([FAULTY])))}
    assert by_rate["pass@1"]["open to"] == "50.0-100.0" and by_rate["pass@1"]["tasks"] == 1
    assert by_rate["spr"]["tests"] == 1
    assert "1 samples have no verdict" in main_table(lines_of([FAULTY])).note
    assert {told["open to"] for told in dicts(rates_table(lines_of([GOOD])))} == {None}


def test_gaps_by_hand() -> None:
    (told,) = dicts(gaps_table(lines_of([GOOD])))
    assert told["decline %"] == pytest.approx(100 / 3)
    assert (told["PR-pass@1"], told["SPR-secpass@1"], told["secure@1"]) == (12.5, 37.5, 75.0)
    assert dicts(gaps_table(lines_of([POOR])))[0]["decline %"] is None


def test_states_tell_what_is_missing() -> None:
    told = {one["state"]: one for one in dicts(states_table(lines_of([POOR])))}
    assert told["missing"]["samples"] == 2 and told["missing"]["%"] == 50.0
    assert told["missing"]["n"] == 4 and told["missing"]["95 %"] == "15.0-85.0"


def test_groups_by_cwe_are_in_natural_order() -> None:
    found = dicts(group_table(lines_of([GOOD]), "cwe"))
    assert [told["cwe"].split()[0] for told in found] == ["CWE-22", "CWE-89"]
    assert (found[0]["tasks"], found[0]["n"], found[1]["SPR"]) == (3, 3, 100.0)


def test_csv_and_markdown_hold_cells_together() -> None:
    hostile = result(row("a", "0", "p", "p"), name="=1+1|<b>*x*\n| y")
    tables = all_tables(lines_of([hostile]))
    read = list(csv.reader(io.StringIO(to_csv(tables))))
    assert not [cell for cells in read for cell in cells if cell.startswith(("=", "+", "@"))]
    lines = [line for line in to_markdown(tables[:1]).split("\n") if line.startswith("|")]
    assert len(lines) == 3 and "<b>" not in lines[2]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(tables[0].columns) + 1}


def test_tables_are_printed_without_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([hostile_result(HOSTILE), GOOD], ["cwe", "domain"])
    shown = capsys.readouterr().out
    assert "Table 3" in shown and "good" in shown and "\x1b" not in shown


def titles(svg: str) -> list[str]:
    space = "{http://www.w3.org/2000/svg}"
    return [title.text or "" for title in ET.fromstring(svg).iter(f"{space}title")]


def test_figures_tell_each_rate() -> None:
    lines = lines_of([GOOD, POOR])
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
    drawn = list(ET.fromstring(figure_bars(lines_of([GOOD]))).iter(f"{space}rect"))[2:]
    whole, joint = (float(rect.get("width", "0")) for rect in drawn)
    assert joint / whole == pytest.approx(50 / 75, abs=1e-2)


def hostile_result(text: str) -> Result:
    base = row(
        text or "t", text, "pf", "p-", domain=text, level=text, language=text, why=text, cwe=text
    )
    changed = {"reason": text, "observed": text, "oracle": text}
    own = tuple(t.model_copy(update={**changed, "id": t.id + text}) for t in base.tests)
    return result(base.model_copy(update={"tests": own}), name=text, pack=text, version=text)


@given(st.text(max_size=40))
def test_figures_are_well_formed_whatever_the_names(text: str) -> None:
    for draw in FIGURES.values():
        titles(draw(lines_of([hostile_result(text)])))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and data.strip():
            self.scripts.append(data)


FACTS = {HOSTILE: {f"f0{HOSTILE}": TestFacts(HOSTILE, HOSTILE, HOSTILE)}}


def test_the_page_runs_its_own_script_only() -> None:
    text = page(lines_of([hostile_result(HOSTILE), GOOD]), {HOSTILE: lines_of([POOR])}, FACTS)
    parser = Tags()
    parser.feed(text)
    names = [name for name, _ in parser.tags]
    assert names.count("script") == 2 and "img" not in names and "\x1b" not in text
    assert not {n for _, attributes in parser.tags for n in attributes if n.startswith("on")}
    data, script = parser.scripts
    assert script == SCRIPT.read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = (a["content"] for _, a in parser.tags if a.get("http-equiv"))
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert not set("<>&") & set(data)
    read = json.loads(data)
    assert read["results"][0]["samples"][0]["why"] == HOSTILE
    assert read["facts"][HOSTILE][f"f0{HOSTILE}"]["expected"] == HOSTILE


def drilled(node: str, tmp_path: Path, results: list[Result], facts: Any) -> dict[str, Any]:
    """What the page's script makes of these results; see `page_stand_in.js`."""
    parser = Tags()
    parser.feed(page(lines_of(results), {}, facts))
    data = tmp_path / "data.json"
    data.write_text(parser.scripts[0])
    stand_in = Path(__file__).with_name("page_stand_in.js")
    command = [node, str(stand_in), str(SCRIPT), str(data)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_drilling_down_builds_what_is_opened(node: str, tmp_path: Path) -> None:
    many = result(*(row(f"t{n}", "0", "pf", "p") for n in range(150)), name="many")
    facts = {"t0": {"f0": TestFacts("adds", "1 and 2", "returns 3")}}
    told = drilled(node, tmp_path, [many], facts)
    assert told["first"] == {"said": "150 samples, 450 tests", "drawn": 100, "more": True}
    assert (told["texts_before"], told["tests"], told["grown"]) == (0, 3, 150)
    for words in ("pass: f0, functional", "1 and 2", "returns 3"):
        assert words in told["test"]
    assert told["failing"] == "150 samples, 150 tests"
    assert told["found"] == "1 samples, 3 tests"
    menus = dict(map(tuple, told["menus"]))
    assert menus["kind"] == ["", "functional", "security"] and menus["model"] == ["", "many"]


def test_hostile_words_stay_words_when_drilled_into(node: str, tmp_path: Path) -> None:
    told = drilled(node, tmp_path, [hostile_result(HOSTILE)], FACTS)
    assert "<img src=x" in told["test"] and "\x1b" not in told["test"]
    assert "script" not in told["tags"] and "img" not in told["tags"]


def test_nothing_at_all_has_a_page_too() -> None:
    assert page([]).startswith("<!doctype html>")
    assert page(lines_of([result()])).startswith("<!doctype html>")


def test_the_page_s_parts_ship_beside_its_module() -> None:
    assert TEMPLATE.is_file() and SCRIPT.is_file()
