"""Tables and figures: the numbers of the results, and hostile names that come out as text."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from arena.tracks.mutation.page import page
from arena.tracks.mutation.views import TABLES, lines_of, print_tables, tables
from hypothesis import given
from hypothesis import strategies as st

from arena.report.grid import to_csv
from arena.tracks.mutation.figures import figure_2, figure_3
from arena.tracks.mutation.results import Baseline, BaselineRow, Result
from tests.arena.mutation.stand_in import invalid, sample

HOSTILE = "</title><script>alert(1)</script>\x1b[31m\"'=cmd|x"

GOOD = Result(
    name="good",
    classifier="paper",
    samples=(
        sample("a", "ss", cwe="CWE-89", prompt="full"),
        sample("b", "s-", cwe="CWE-117", prompt="full"),
        sample("a", "-i", cwe="CWE-89", prompt="no-hint"),
        invalid("b", cwe="CWE-117", prompt="no-hint"),
    ),
    trivial={"empty": (sample("a", "--", detects=False),)},
)
POOR = Result(name="poor", classifier="behaviour", samples=(sample("a", "ic", cwe="CWE-89"),))
SCANNER = Baseline(
    baseline="bandit",
    programs=(
        BaselineRow(id="a", cwe="CWE-89", insecure=("B608",)),
        BaselineRow(id="b", cwe="CWE-117", insecure=("B101",), secure=("B101",)),
        BaselineRow(id="z", cwe="CWE-22"),
    ),
)


def rows(number: int, results: list[Result], baselines: list[Baseline] | None = None) -> list[dict]:  # type: ignore[type-arg]
    (table,) = tables(results, baselines or [], [number])
    assert all(len(row) == len(table.columns) for row in table.rows)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_table_4_sorts_by_eff_sms_and_ends_with_trivial_suites_and_scanners() -> None:
    found = rows(4, [POOR, GOOD], [SCANNER])
    assert [row["suites"] for row in found] == [
        "good (full)",
        "poor",
        "good (no-hint)",
        "trivial: empty",
        "bandit",
    ]
    first, scanner = found[0], found[-1]
    assert (first["MS %"], first["SMS %"], first["SPR %"]) == (75.0, 75.0, 100.0)
    assert found[2]["SPR %"] == 50.0 and found[2]["EffSMS %"] == 0.0
    assert scanner["MS %"] == pytest.approx(200 / 3) and scanner["n"] == 3


def test_table_5_counts() -> None:
    row = rows(5, [POOR])[0]
    assert (row["mutants"], row["semantic"], row["incidental"], row["crash"]) == (2, 0, 1, 1)


def test_table_6_pairs_kills_by_mutant() -> None:
    one = Result(name="a", classifier="paper", samples=(sample("p", "ssi-"),))
    other = Result(name="a", classifier="behaviour", samples=(sample("p", "sci-"),))
    by_operator = {row["operator"]: row for row in rows(6, [one, other])}
    assert by_operator["all"]["n"] == 3
    assert by_operator["all"]["agreement %"] == pytest.approx(200 / 3)
    assert by_operator["RVALID"]["agreement %"] == 100.0
    assert by_operator["PSQLI"]["agreement %"] == 0.0
    assert rows(6, [one]) == []


def test_table_7_stands_beside_the_scanner() -> None:
    found = {row["CWE"]: row for row in rows(7, [GOOD], [SCANNER])}
    assert list(found) == ["CWE-22", "CWE-89", "CWE-117"]
    assert (found["CWE-89"]["n"], found["CWE-89"]["mutants"]) == (1, 4)
    assert found["CWE-89"]["SMS %"] == 50.0
    assert found["CWE-89"]["bandit detects %"] == 100.0
    assert found["CWE-117"]["bandit false alarms %"] == 100.0
    assert found["CWE-22"]["n"] == 1 and found["CWE-22"]["SMS %"] is None


def test_table_8_has_a_column_for_each_prompt() -> None:
    (row,) = rows(8, [GOOD, POOR])
    assert (row["full"], row["no-hint"], row["cwe-id"]) == (75.0, 0.0, None)


def test_an_unknown_table_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 is none of 4, 5, 6, 7, 8"):
        tables([GOOD], [], [3])


def test_nothing_at_all_has_views_too() -> None:
    assert page([], []).startswith("<!doctype html>")
    assert [table.rows for table in tables([Result(samples=())], [], TABLES)]


def bars(svg: str) -> list[str]:
    space = "{http://www.w3.org/2000/svg}"
    return [title.text or "" for title in ET.fromstring(svg).iter(f"{space}title")]


def test_figure_2_draws_each_category_to_scale() -> None:
    svg = figure_2(lines_of([POOR]))
    assert "poor: incidental 1 of 2" in bars(svg)
    space = "{http://www.w3.org/2000/svg}"
    drawn = list(ET.fromstring(svg).iter(f"{space}rect"))[5:]
    widths = [float(rect.get("width", "0")) for rect in drawn]
    assert widths[2] == widths[3] > 0 and widths[0] == widths[1] == widths[4] == 0


def test_figure_3_tells_sms_of_each_cwe() -> None:
    told = bars(figure_3(lines_of([GOOD])))
    assert "CWE-89, good (full): 100.0 %" in told
    assert "CWE-117, good (no-hint): -" in told


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


def hostile(text: str) -> Result:
    kills = sample("a", "s").mutants
    named = tuple(
        m.model_copy(update={"id": text, "operator": text, "reason": text}) for m in kills
    )
    told = sample(text, cwe=text, prompt=text, difficulty=text, why=text, mutants=named)
    return Result(name=text, dataset=text, tests=text, samples=(told,), problems=(text,))


def test_a_page_holds_no_script_and_no_stray_control_character() -> None:
    scanner = Baseline(
        baseline=HOSTILE, version=HOSTILE, programs=(BaselineRow(id=HOSTILE, cwe=HOSTILE),)
    )
    text = page([hostile(HOSTILE)], [scanner])
    parser = Tags()
    parser.feed(text)
    assert "script" not in parser.tags and "\x1b" not in text
    assert not {name for name in parser.attributes if name.startswith("on")}
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text


@given(st.text(max_size=40))
def test_figures_are_well_formed_whatever_the_names(text: str) -> None:
    lines = lines_of([hostile(text)])
    bars(figure_2(lines))
    bars(figure_3(lines))


def test_csv_is_read_back_and_runs_no_formula() -> None:
    text = to_csv(tables([hostile("=1+1"), POOR], [], [4, 5]))
    read = list(csv.reader(io.StringIO(text)))
    assert not [cell for row in read for cell in row if cell.startswith(("=", "+", "@"))]
    assert ["poor", "2", "0", "0", "1", "1", "0"] in read


def test_tables_are_printed_without_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([hostile(HOSTILE), GOOD], [SCANNER], TABLES)
    shown = capsys.readouterr().out
    assert "Table 8" in shown and "good (full)" in shown and "\x1b" not in shown


def test_the_page_s_template_ships_beside_its_module() -> None:
    from arena.tracks.mutation import page as module

    assert module.TEMPLATE.is_file() and module.TEMPLATE.parent == Path(module.__file__).parent
