"""Tables and figures: the numbers of attempts, and hostile names that come out as text."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.exchange.formats import paper
from arena.exchange.source import Source
from arena.report.grid import Table, print_grid, to_csv
from arena.store.model import Attempt, AttemptUpdate, Spent, TaskFacts, attempt_id
from arena.store.store import Store
from arena.tracks.mutation.baselines import Baseline, BaselineRow
from arena.tracks.mutation.figures import figure_2, figure_3
from arena.tracks.mutation.intervals import compare
from arena.tracks.mutation.lines import SuiteLine, lines_of
from arena.tracks.mutation.metrics import measure
from arena.tracks.mutation.results import SampleResult
from arena.tracks.mutation.summary import metrics_of
from arena.tracks.mutation.tables import (
    agreement,
    differences,
    kills,
    overall,
    per_cwe,
    prompts,
    tables,
)
from arena.tracks.mutation.verdicts import sample_of, verdict_of
from tests.arena.mutation.stand_in import attempt, invalid, line, sample

HOSTILE = "</title><script>alert(1)</script>\x1b[31m\"'=cmd|x"

GOOD = [
    line(
        "good (full)",
        sample("a", "ss", cwe="CWE-89", prompt="full"),
        sample("b", "s-", cwe="CWE-117", prompt="full"),
        who="good",
    ),
    line(
        "good (no-hint)",
        sample("a", "-i", cwe="CWE-89", prompt="no-hint"),
        invalid("b", cwe="CWE-117", prompt="no-hint"),
        who="good",
    ),
]
POOR = line("poor", sample("a", "ic", cwe="CWE-89"))
EMPTY = line("trivial:empty", sample("a", "--", detects=False), trivial=True)
SCANNER = Baseline(
    "bandit",
    "bandit 1",
    (
        BaselineRow(id="a", cwe="CWE-89", insecure=("B608",)),
        BaselineRow(id="b", cwe="CWE-117", insecure=("B101",), secure=("B101",)),
        BaselineRow(id="z", cwe="CWE-22"),
    ),
)


def rows(table: Table) -> list[dict[str, Any]]:
    assert all(len(row) == len(table.columns) for row in table.rows)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


@pytest.mark.slow
def test_table_4_sorts_by_eff_sms_and_ends_with_trivial_suites_and_scanners() -> None:
    found = rows(overall([EMPTY, POOR, *GOOD], [SCANNER]))
    assert [row["suites"] for row in found] == [
        "good (full)",
        "poor",
        "good (no-hint)",
        "trivial:empty",
        "bandit",
    ]
    first, scanner = found[0], found[-1]
    assert (first["MS %"], first["SMS %"], first["SPR %"]) == (75.0, 75.0, 100.0)
    assert found[2]["SPR %"] == 50.0 and found[2]["EffSMS %"] == 0.0
    assert scanner["MS %"] == pytest.approx(200 / 3) and scanner["n"] == 3


def floored(found: SampleResult, told: Sequence[bool | None]) -> SampleResult:
    mutants = zip(found.mutants, told, strict=True)
    own = tuple(mutant.model_copy(update={"floor": floor}) for mutant, floor in mutants)
    return found.model_copy(update={"mutants": own})


@pytest.mark.slow
def test_each_sms_stands_beside_the_floor() -> None:
    """Mutants that the functional suite could not meet are no part of it."""
    one = floored(sample("a", "ssi-", prompt="full"), (True, False, None, False))
    other = floored(sample("b", "s-", prompt="full"), (True, False))
    lines = [line("m (full)", one, other, who="m")]
    for table, column in (
        (overall(lines), "floor %"),
        (per_cwe(lines), "floor %"),
        (prompts(lines), "floor"),
    ):
        assert rows(table)[0][column] == 40.0, table.title
    told = metrics_of(lines)
    assert told["summary"]["floor"] == told["by"]["cwe"]["CWE-89"]["floor"] == 40.0
    assert told["by"]["operator"]["PSQLI"]["floor"] == 0.0
    assert told["by"]["operator"]["RVALID"]["floor"] == pytest.approx(200 / 2)
    low, high = (told["summary"]["intervals"]["floor"][end] for end in ("low", "high"))
    assert low < 40.0 < high
    assert metrics_of([POOR])["summary"]["floor"] is None


def test_table_5_counts() -> None:
    row = rows(kills([POOR]))[0]
    assert (row["mutants"], row["semantic"], row["incidental"], row["crash"]) == (2, 0, 1, 1)


def test_table_6_pairs_kills_by_mutant() -> None:
    one, other = (
        sample("p", "ssi-", classifier="paper"),
        sample("p", "sci-", classifier="behaviour"),
    )
    (table,) = agreement([one, other])
    by_operator = {row["operator"]: row for row in rows(table)}
    assert by_operator["all"]["n"] == 3 and by_operator["all"]["against"] == "behaviour"
    assert by_operator["all"]["agreement %"] == pytest.approx(200 / 3)
    assert by_operator["RVALID"]["agreement %"] == 100.0
    assert by_operator["PSQLI"]["agreement %"] == 0.0
    assert agreement([one]) == agreement([]) == []


def test_table_7_stands_beside_the_scanner() -> None:
    found = {row["CWE"]: row for row in rows(per_cwe([*GOOD, EMPTY], [SCANNER]))}
    assert list(found) == ["CWE-22", "CWE-89", "CWE-117"]
    assert (found["CWE-89"]["n"], found["CWE-89"]["mutants"]) == (1, 4)
    assert found["CWE-89"]["SMS %"] == 50.0
    assert found["CWE-89"]["bandit detects %"] == 100.0
    assert found["CWE-117"]["bandit false alarms %"] == 100.0
    assert found["CWE-22"]["n"] == 1 and found["CWE-22"]["SMS %"] is None


def test_table_8_has_a_column_for_each_prompt() -> None:
    (row,) = rows(prompts([*GOOD, POOR]))
    assert (row["full"], row["no-hint"], row["cwe-id"]) == (75.0, 0.0, None)


def test_nothing_at_all_has_tables_too() -> None:
    assert [table.number for table in tables([])] == [4, 5, 7, 8]
    assert metrics_of([])["summary"]["suites"] == 0


def test_what_lacks_details_is_told() -> None:
    lacking = SuiteLine("old", (), lacking=2)
    assert "Not told of 2 attempts" in overall([lacking]).note
    assert metrics_of([lacking, POOR])["lacking"] == 2


def test_trivial_suites_are_no_part_of_the_summary() -> None:
    found = metrics_of([POOR, EMPTY])
    assert found["summary"]["suites"] == 1 and found["columns"]["trivial:empty"]["suites"] == 1
    assert metrics_of([EMPTY])["summary"]["suites"] == 1
    assert found["by"]["cwe"]["CWE-89"]["ms"] == found["summary"]["ms"] == 100.0
    assert found["columns"]["poor"]["intervals"]["ms"]["n"] == 1


def test_differences_have_their_interval_and_their_test() -> None:
    scores, tests = differences(compare([sample("a", "-", detects=False)], [sample("a", "s")]))
    assert [row[:2] for row in scores.rows if row[0] == "sms"] == [("sms", 100.0)]
    assert tests.rows[0] == ("vd", 1, 0, 1, "1.0000")


def bars(svg: str) -> list[str]:
    space = "{http://www.w3.org/2000/svg}"
    return [title.text or "" for title in ET.fromstring(svg).iter(f"{space}title")]


def test_figure_2_draws_each_category_to_scale() -> None:
    svg = figure_2([POOR])
    assert "poor: incidental 1 of 2" in bars(svg)
    space = "{http://www.w3.org/2000/svg}"
    drawn = list(ET.fromstring(svg).iter(f"{space}rect"))[5:]
    widths = [float(rect.get("width", "0")) for rect in drawn]
    assert widths[2] == widths[3] > 0 and widths[0] == widths[1] == widths[4] == 0


def test_figure_3_tells_sms_of_each_cwe() -> None:
    told = bars(figure_3(GOOD))
    assert "CWE-89, good (full): 100.0 %" in told
    assert "CWE-117, good (no-hint): -" in told


def hostile(text: str) -> SuiteLine:
    found = sample("a", "s").mutants
    named = tuple(
        m.model_copy(update={"id": text, "operator": text, "reason": text}) for m in found
    )
    told = sample(text, cwe=text, prompt=text, difficulty=text, why=text, mutants=named)
    return line(text, told)


@given(st.text(max_size=40))
def test_figures_are_well_formed_whatever_the_names(text: str) -> None:
    bars(figure_2([hostile(text)]))
    bars(figure_3([hostile(text)]))


def test_csv_is_read_back_and_runs_no_formula() -> None:
    text = to_csv(tables([hostile("=1+1"), POOR]))
    read = list(csv.reader(io.StringIO(text)))
    assert not [cell for row in read for cell in row if cell.startswith(("=", "+", "@"))]
    assert ["poor", "2", "0", "0", "1", "1", "0"] in read


@pytest.mark.slow
def test_tables_are_printed_without_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    scanner = Baseline(HOSTILE, HOSTILE, (BaselineRow(HOSTILE, HOSTILE),))
    print_grid([*tables([hostile(HOSTILE), *GOOD]), per_cwe(GOOD, [scanner])])
    shown = capsys.readouterr().out
    assert "Table 8" in shown and "good (full)" in shown and "\x1b" not in shown


# attempts of a store


def test_attempts_are_lines_by_agent_model_and_prompt() -> None:
    found = [
        attempt(sample("a", "--"), "trivial:empty"),
        attempt(sample("a", "s", model="m", prompt="full")),
        attempt(sample("b", "s", model="m", prompt="full", sample=1)),
        attempt(invalid("a", model="m", prompt="no-hint")),
    ]
    lines = lines_of(found, {})
    assert [(one.name, one.who, one.trivial, len(one.samples)) for one in lines] == [
        ("direct m (full)", "direct m", False, 2),
        ("direct m (no-hint)", "direct m", False, 1),
        ("trivial:empty", "trivial:empty", True, 1),
    ]


ROUND = [
    sample("a", "sfico-", model="m", prompt="full", sample=3, classifier="paper", tests=4),
    sample("a", "s" * 2_000, detects=False),
    invalid("a", why="x" * 2_000, difficulty="hard"),
    sample("a", evidence="ab" * 32),
]


@pytest.mark.parametrize("found", ROUND)
def test_an_attempt_tells_all_that_its_suite_came_to(found: SampleResult) -> None:
    assert sample_of(attempt(found), {}) == found


def test_an_attempt_without_a_label_takes_no_part() -> None:
    found = sample_of(attempt(invalid("a", health="infra", why="gone")), {})
    assert found is not None and (found.health, found.why) == ("infra", "gone")
    assert measure([found]).suites == 0


def older(evidence: dict[str, Any]) -> Attempt:
    return replace(attempt(sample("a", "s")), evidence=evidence)


def test_attempts_of_an_earlier_release() -> None:
    """Their evidence named neither CWE nor classifier, and listed 500 mutants at most."""
    told = attempt(sample("a", "s", difficulty="")).evidence
    suite = {
        name: told["suite"][name] for name in ("state", "why", "secure_passes", "insecure_fails")
    }
    facts = {"a": TaskFacts("a", cwes=("CWE-89",))}
    before = {**told, "suite": suite, "not_listed": 0}
    assert sample_of(older(before), facts) == sample("a", "s", difficulty="")
    for lacking in ({**before, "not_listed": 3}, {}, {"suite": 1}, {"suite": suite}):
        assert lines_of([older(lacking)], facts)[0].lacking == 1
    odd = {**before, "mutants": [{"id": "m", "operator": "X", "killed": True, "category": None}]}
    assert lines_of([older(odd)], facts)[0].lacking == 1


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.slow
def test_tables_and_figures_are_a_page_without_scripts(store: Store, tmp_path: Path) -> None:
    """Names come from files, models and runs of others; none of them gets a tag or a control character in."""
    mutants = sample("a", "s").mutants
    odd = tuple(one.model_copy(update={"operator": HOSTILE}) for one in mutants)
    found = sample(HOSTILE, cwe=HOSTILE, model=HOSTILE, prompt=HOSTILE, mutants=odd)
    made = attempt(found)
    run = store.open_run("pack", [made.key], {}, "one", "mutation")
    verdict = verdict_of(found)
    store.write([AttemptUpdate(attempt_id(run, made.key), Spent(), verdict=verdict)], run)
    out = tmp_path / "paper"
    paper.PLUGIN.write(Source.open(store, run), out, lambda said: None)
    text = (out / "index.html").read_text("utf-8")
    tags = Tags()
    tags.feed(text)
    assert {"table", "svg"} <= tags.tags and "script" not in tags.tags and "\x1b" not in text
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "Table 4. Overall results" in text and "Figure 3. SMS by CWE" in text
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
