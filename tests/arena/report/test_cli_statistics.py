"""`arena report` and `arena compare` over a store."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from arena.cli import compare, report
from arena.store.model import AttemptKey, TaskFacts, attempt_id
from arena.store.store import Store
from harness.grade.verdict import Label
from tests.arena.conftest import Arena, finish

pytestmark = pytest.mark.slow

G, B = Label.SECURE, Label.CV
LABELS: dict[str, list[Label | None]] = {"one": [G, G, B, None], "two": [B, B, B, G]}
Run = Callable[..., str]


@pytest.fixture
def run(arena: Arena) -> str:
    """Two agents, four tasks; alpha and beta in C. The store is the one that the command opens."""
    store = Store()
    tasks = ("alpha", "beta", "gamma", "delta")
    facts = [TaskFacts(t, language="c" if i < 2 else "cpp", cwes=("CWE-20",)) for i, t in enumerate(tasks)]  # fmt: skip
    keys = {(t, a): AttemptKey(t, a) for t in tasks for a in LABELS}
    name = store.open_run("starter", keys.values(), {}, tasks=facts)
    for agent, labels in LABELS.items():
        for task, label in zip(tasks, labels, strict=True):
            finish(store, attempt_id(name, keys[task, agent]), label)
    return name


def told(arena: Arena, *args: str) -> list[dict[str, object]]:
    found = arena("report", *args, "--json").json
    return [*found["leaderboard"]]


def test_json_of_a_report(arena: Arena, run: str) -> None:
    found = arena("report", run, "--json", "--by", "language").json
    assert (found["run"], found["pack"], found["track"]) == (run, "starter", "repo")
    one, two = found["leaderboard"]
    assert (one["agent"], one["good"]["count"], one["good"]["n"], one["unlabelled"]) == ("one", 2, 3, 1)  # fmt: skip
    assert two["good"]["rate"] == 0.25
    assert len(found["attempts"]) == 8
    assert found["all"]["labels"]["C&S"].keys() == {"count", "n", "rate", "interval", "low", "high"}
    values = found["breakdown"]["values"]
    assert {v: [e["good"]["n"] for e in of] for v, of in values.items()} == {"c": [2, 2], "cpp": [2, 1]}  # fmt: skip


def test_a_choice_of_nothing_is_told_and_shows_no_table(arena: Arena, run: str) -> None:
    found = arena("report", run, "--where", "agent=one", "--where", "label=CE")
    assert found.out == ""
    assert "no attempt to report; see --where" in found.err


@pytest.mark.parametrize(
    "command", [["report"], ["compare", "--all"], ["export", "--to", "csv", "--out", "x"]]
)
@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("agent=nobody", "no attempt has the agent 'nobody'; known: 'one', 'two'"),
        ("language=rust", "no attempt has the language 'rust'; known: '', 'c', 'cpp'"),
        ("cwe=CWE-1", "no attempt has the cwe 'CWE-1'; known: 'CWE-20'"),
        ("label=C", "no attempt has the label 'C'; known: '', 'C&S', 'CV'"),
    ],
)
def test_a_value_that_none_has_is_told_with_the_known_ones(
    arena: Arena, run: str, command: list[str], where: str, told: str
) -> None:
    name, *rest = command
    found = arena(name, run, *rest, "--where", where)
    assert found.status == 2 and found.out == ""
    assert told.replace("'', ", "") in found.err.replace("'', ", "")


def test_only_what_is_asked_for(arena: Arena, run: str) -> None:
    found = arena("report", run, "--json", "--where", "agent=one", "--where", "language=c").json
    assert [e["attempts"] for e in found["leaderboard"]] == [2]
    assert {(a["agent"], a["task"]) for a in found["attempts"]} == {("one", "alpha"), ("one", "beta")}  # fmt: skip
    assert found["all"]["attempts"] == 2
    none = arena("report", run, "--json", "--where", "label=CE").json
    assert none["leaderboard"] == none["attempts"] == []


@pytest.mark.slow
def test_text_markdown_and_csv(arena: Arena, run: str) -> None:
    plain = arena("report", run, "--by", "cwe").out
    assert "66.7 [20.8-93.9] open to" in plain
    assert "(infra)" in plain and "CWE-20" in plain
    assert "66.7 \\[20.8-93.9\\] open to 50.0-75.0" in arena("report", run, "--md").out
    attempts = list(csv.DictReader(io.StringIO(arena("report", run, "--csv").out)))
    assert len(attempts) == 8 and attempts[0]["task"] == "alpha"
    rates = list(csv.reader(io.StringIO(arena("report", run, "--csv", "--by", "cwe").out)))
    assert ["CWE-20", "one", "3", "1", "4"] in [line[:5] for line in rates]


def test_many_attempts_are_not_shown_one_by_one(
    arena: Arena, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "MAX_MATRIX", 7)
    done = arena("report", run)
    assert "task x agent" not in done.out
    assert "8 attempts: their labels one by one are on the page" in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--where", "nope=x"], "no field 'nope' to select by; known: run, track"),
        (["--where", "agent"], "--where 'agent': not FIELD=VALUE"),
        (["--by", "agent"], "no breakdown by 'agent'; known: cwe"),
        (["--html", "page.html", "--by", "cwe"], "--html: the page has filters of its own"),
    ],
)
def test_mistakes_of_a_report(arena: Arena, run: str, args: list[str], said: str) -> None:
    done = arena("report", run, *args)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


@pytest.fixture
def comparing(run: str) -> Run:
    """`arena compare` alone; returns what it prints, and raises what it raises."""
    app = typer.Typer()
    app.command()(compare.command)

    def call(*args: str) -> str:
        done = CliRunner().invoke(app, [run, *args], catch_exceptions=False)
        assert done.exit_code == 0
        return str(done.stdout)

    return call


def test_compare_as_json(comparing: Run, run: str) -> None:
    import json

    found = json.loads(comparing("one", "two", "--by", "agent", "--json"))
    assert found.keys() >= {"run", "by", "a", "b", "pairs", "p", "permutation_p", "difference", "tasks", "rates"}  # fmt: skip
    counts = [found[name] for name in ("pairs", "both", "only_a", "only_b", "neither")]
    assert counts == [3, 0, 2, 0, 1]
    assert (found["run"], found["p"], found["permutation_p"]) == (run, 0.5, 0.5)
    assert found["unpaired"] == {"a": 1, "b": 1}
    assert found["difference"]["value"] == pytest.approx(-2 / 3)
    assert found["difference"].keys() == {"value", "low", "high", "n", "of"}


def test_compare_for_people(comparing: Run) -> None:
    text = comparing("one", "two", "--by", "agent")
    assert "pairs: 3 of 3 tasks; attempts without a labelled partner: 1 of a, 1 of b" in text
    assert "b - a -66.7 points [" in text
    assert "over 3 tasks" in text
    assert "label CV" in comparing("one", "two", "--by", "agent", "--label", "CV")
    assert "pairs: 2 of 2" in comparing("one", "two", "--by", "agent", "--where", "language=c")


def test_an_unknown_side_lists_the_known(comparing: Run) -> None:
    with pytest.raises(ValueError, match="no attempt has the agent 'x'; known: 'one', 'two'"):
        comparing("one", "x", "--by", "agent")


def test_two_runs_of_the_same_agent_are_compared(arena: Arena, tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    made = []
    for labels in (("CV", "CV"), ("C&S", "CV")):
        keys = [AttemptKey(task, "gold") for task in ("alpha", "beta")]
        made.append(store.open_run("pack", keys, {}))
        for key, label in zip(keys, labels, strict=True):
            finish(store, attempt_id(made[-1], key), label)
    found = arena("compare", made[0], *made, "--by", "run", "--json").json
    assert (found["pairs"], found["only_b"], found["only_a"]) == (2, 1, 0)
    assert [found[side] for side in "ab"] == made
    assert found["run"] == " and ".join(made)


def test_all_pairs_of_a_run(arena: Arena, run: str) -> None:
    found = arena("compare", run, "--all", "--json").json
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["pairs"], pair["holm_p"]) == (
        "one",
        "two",
        3,
        pair["permutation_p"],
    )
    assert "Which is better: all pairs" in arena("compare", run, "--all").out
    alone = arena("compare", run, "--all", "--where", "agent=one")
    assert alone.status == 2
    assert "only one column is left: one; agents for calibration (gold," in alone.err


@pytest.mark.parametrize("words", [["one"], ["one", "two"], ["--all", "--by", "agent"], []])
def test_two_or_all_but_nothing_between(arena: Arena, run: str, words: list[str]) -> None:
    found = arena("compare", run, *words)
    assert found.status == 2 and "--all" in found.err


def test_why_there_is_no_pair_across_models(arena: Arena) -> None:
    """gold has no model and the other has two: which one of them is meant has to be said."""
    store, models = Store(), ("lab/a b", "lab/c")
    keys = [AttemptKey("t", "gold"), *(AttemptKey("t", "mini", model) for model in models)]
    run = store.open_run("p", keys, {})
    for key in keys:
        finish(store, attempt_id(run, key))
    found = arena("compare", run, "gold", "mini", "--by", "agent")
    assert found.status == 2
    assert "differ in model: a has '', b 'lab/a b', 'lab/c'" in found.err
    hint = found.err.partition("is compared with ")[2].strip()
    assert hint == "--where model= --where 'model=lab/a b'"
    chosen = arena("compare", run, "gold", "mini", "--by", "agent", *shlex.split(hint))
    assert chosen.status == 0 and "pairs: 1 of 1 tasks" in chosen.out


def test_attempts_are_filtered_and_sorted(arena: Arena, run: str) -> None:
    def listed(*words: str) -> list[str]:
        return [line.split("  ")[-1] for line in arena("attempts", run, *words).out.splitlines()]

    assert len(listed()) == 8
    assert listed("--label", "C&S", "--sort", "task") == [
        "alpha x one",
        "beta x one",
        "delta x two",
    ]
    assert listed("--task", "gamma", "--label", "CV", "--where", "agent=one") == ["gamma x one"]
    assert listed("--label", "") == ["delta x one"]
    by_label = listed("--sort", "label")
    assert by_label[:3] == ["alpha x one", "beta x one", "delta x two"]
    assert by_label[-1] == "delta x one", "the one without a label"
    for words, told in (
        (("--label", "XX"), "no attempt has the label 'XX'"),
        (("--task", "omega"), "no attempt is of 'omega'; known: alpha, beta, delta, gamma"),
        (("--sort", "size"), "known: task, label, cost, time"),
    ):
        done = arena("attempts", run, *words)
        assert done.status == 2 and told in done.err
