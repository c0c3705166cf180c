"""Tables of the leaderboard: each rate with its n and interval, and hostile names as text."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from arena.cli.compare import _lines
from arena.report.boards import breakdown_table, leaderboards, part_cell, share_cell
from arena.report.breakdown import breakdown
from arena.report.clusters import effective_size
from arena.report.grid import print_grid, to_csv, to_markdown
from arena.report.leaderboard import leaderboard
from arena.report.names import break_into_lines
from arena.report.paired import compare
from arena.report.statistics import Interval, wilson
from arena.report.tables import MAX_HEAD_WIDTH
from arena.store.model import Row
from tests.arena.report.made import row, rows

G, B = "C&S", "CV"
NAMES = ("<script>x</script>", "=1+1", "\x1b[31mred\x07", "a|b\nc", "[bold]x[/]", "\u202egnp")


def cells(made: list[Row], heading: str, table: int = 0) -> list[object]:
    found = leaderboards(leaderboard(made))[table]
    return [line[found.columns.index(heading)] for line in found.rows]


def test_a_rate_is_shown_with_its_interval_and_what_is_open() -> None:
    assert share_cell(wilson(8, 10)) == "80.0 [49.0-94.3]"
    assert share_cell(Interval(0.5, None, None, 1)) == "50.0 [no interval]"
    assert share_cell(Interval(None, None, None, 0)) is None
    made = rows("a", [[G]] * 8 + [[B]] * 2)
    assert cells(made, "good") == ["80.0 [49.0-94.3]"]
    assert cells([*made, row(None, agent="a", task="t10")], "good") == [
        "80.0 [49.0-94.3] open to 72.7-81.8"
    ]
    (entry,) = leaderboard([row(None)])
    assert part_cell(entry.good) is None


def test_labels_are_one_row_a_column_and_whole_with_interval_and_bounds() -> None:
    made = [*rows("a", [[G]] * 8 + [[B]] * 2), row(None, agent="a", task="t10")]
    table = leaderboards(leaderboard(made))[1]
    assert table.columns == ("attempts of", "n", "NO", "CE", "IC", "CV", "CS", "C&S")
    assert table.rows == (("a m", 10, 0.0, 0.0, 0.0, 20.0, 0.0, 80.0),)
    ((*_, good),) = leaderboards(leaderboard(made), whole=True)[1].rows
    assert good == "80.0 [49.0-94.3] open to 72.7-81.8"


def test_scores_of_the_track_s_paper_stand_beside() -> None:
    made = [
        row("detects", track="mutation", agent="a"),
        row("detects", track="mutation", agent="b"),
    ]
    own = {"a m": {"sms": 61.234, "ms": None}, "other": {"sms": 1.0}}
    table = leaderboards(leaderboard(made), own)[2]
    assert [line[table.columns.index("SMS %")] for line in table.rows] == ["61.23", None]
    assert "MS %" not in table.columns and "SMS %" in table.note


@pytest.mark.parametrize("prompts", [("neutral",), ("neutral", "reminder")])
def test_a_report_fits_80_columns_with_names_that_differ(prompts: tuple[str, ...]) -> None:
    made = [one for agent in ("openhands-with-settings-one", "openhands-with-settings-two")
            for model in ("provider/large-model-1", "provider/large-model-2") for prompt in prompts
            for one in rows(agent, [[G], [B]], model=model, prompt=prompt, usd=12.5)]  # fmt: skip
    entries, out = leaderboard(made), io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    names = break_into_lines({entry.column: entry.lines for entry in entries}, MAX_HEAD_WIDTH)
    print_grid(leaderboards(entries), wrap=True, console=console, names=names)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(set(names.values())) == len(entries)
    shown = {name for line in lines for name in ("one", "two") if f"{name} " in line}
    assert shown == {"one", "two"}
    assert all(word in "".join(lines) for word in ("USD/n", "front", "vulnerable"))


def test_what_a_good_attempt_costs_counts_all_that_was_spent() -> None:
    made = [
        row(G, usd=1.0),
        row(G, usd=1.0, task="u"),
        row(B, usd=2.0, task="v"),
        row(None, usd=4.0),
    ]
    assert cells(made, "USD/C&S") == ["4.0000"] and cells(made, "USD/n") == ["1.3333"]
    assert cells([row(B, usd=2.0)], "USD/C&S") == [None]
    (entry,) = leaderboard(made)
    assert (entry.usd_per_good, entry.to_json()["usd_per_good"]) == (4.0, 4.0)
    parted = breakdown_table(breakdown(made, "task"), "task")
    assert parted.columns[-1] == "USD/C&S" and parted.rows[0][-1] == "5.0000"
    assert "USD/C&S: all USD, of every try" in parted.note


def test_what_is_good_has_the_name_of_its_label() -> None:
    assert cells([row("detects", track="mutation", usd=1.0)], "USD/detects") == ["1.0000"]
    assert cells([row("safe", track="exposure", usd=1.0)], "USD/safe") == ["1.0000"]
    both = [row(G, usd=1.0), row("reproduced", usd=2.0, task="u")]
    assert cells(both, "USD/good") == ["1.5000"]
    tracks = [row(G, cwes=("x",)), row("detects", track="mutation", cwes=("x",))]
    assert breakdown_table(breakdown(tracks, "cwe"), "cwe").columns[-1] == "USD/good"


def test_efforts_are_columns_of_their_own() -> None:
    made = [row(G, model="openai/gpt-5 (high)"), row(B, model="openai/gpt-5 (low)")]
    assert cells(made, "attempts of") == ["a openai/gpt-5 (high)", "a openai/gpt-5 (low)"]


def test_columns_that_tell_nothing_are_left_out() -> None:
    plain = leaderboards(leaderboard(rows("a", [[G]])))[2]
    assert not {"score", "pass@1"} & set(plain.columns)
    made = rows("a", [[G, B], [B, B]], score=0.5)
    assert cells(made, "pass@2", 2) == ["50.0 [5.5-94.5] n=2"]
    assert str(cells(made, "score", 2)[0]).endswith("n=4")


def test_tracks_have_tables_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from arena.report import boards
    from arena.report import leaderboard as module
    from arena.vocabulary import Kind, Meaning, Vocabulary, vocabulary

    other = Vocabulary("other", (Meaning("yes", "", Kind.GOOD), Meaning("no", "", Kind.VULNERABLE)))
    for one in (module, boards):
        monkeypatch.setattr(
            one, "vocabulary_or_bare", lambda name: other if name == "other" else vocabulary(name)
        )
    made = [row(G), row("yes", track="other"), row("no", track="other", task="u")]
    tables = leaderboards(leaderboard(made, ("agent",)))
    assert [table.title.partition(":")[0] for table in tables] == ["other"] * 3 + ["repo"] * 3
    assert tables[1].rows[0][1:] == (2, 50.0, 50.0)


def hostile(name: str) -> list[Row]:
    return [row(name, agent=name, model=name, prompt=name, task=name, cwes=(name,), usd=1.5)]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_stay_text(name: str) -> None:
    made = hostile(name)
    tables = [*leaderboards(leaderboard(made)), breakdown_table(breakdown(made, "cwe"), "cwe")]
    out = io.StringIO()
    print_grid(tables, wrap=True, console=Console(file=out, color_system=None))
    assert all(c.isprintable() or c == "\n" for c in out.getvalue() + to_markdown(tables))
    for line in csv.reader(io.StringIO(to_csv(tables))):
        assert not any(cell.startswith(("=", "+", "@")) for cell in line)
    lines = to_markdown(tables).splitlines()
    assert "<script>" not in "".join(lines)
    data = [line for line in lines if line.startswith("| ")]
    assert len(data) == len(tables) * 2 + sum(len(table.rows) for table in tables)


def test_nothing_is_cut_on_a_narrow_terminal() -> None:
    made = [*rows("a-name-that-is-long", [[G]] * 8 + [[B]] * 2), row(None)]
    out = io.StringIO()
    narrow = Console(file=out, width=60, force_terminal=True, color_system=None)
    print_grid(leaderboards(leaderboard(made)), wrap=True, console=narrow)
    assert "…" not in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 60


def test_the_example_of_the_documents() -> None:
    """docs/statistics.md, "An example": what it shows is what the code makes of these attempts."""
    text = (Path(__file__).parents[3] / "docs/statistics.md").read_text("utf-8")
    example = " ".join(text.partition("## An example")[2].split())
    good = {"one": [3, 3, 3, 2, 1, 3, 0, 0, 2, 3], "two": [3, 1, 2, 0, 0, 3, 0, 0, 1, 1]}
    made = [one for agent, counts in good.items() for one in rows(agent, [[G] * x + [B] * (3 - x) for x in counts])]  # fmt: skip
    made = [replace(one, label=None) if one.agent == "one" and one.task == "t4" and one.replicate == 2 else one for one in made]  # fmt: skip
    for entry in leaderboard(made, ("agent",)):
        n, open_ = entry.good.share.n, entry.unlabelled
        shown = part_cell(entry.good)
        assert f"{entry.column} n {n} no label {open_} good {shown}" in example
    for line in _lines("", compare(made, "agent", "one", "two"))[-2:]:
        assert line in example
    size = effective_size([(x, 2 if t == 4 else 3) for t, x in enumerate(good["one"])], 29)
    assert f"carry as much information as {size:.1f} independent ones" in example
    plain = wilson(20, 29)
    assert f"{100 * (plain.low or 0):.1f} to {100 * (plain.high or 0):.1f}" in example
