"""SecureAgentBench's figures over attempts: what each has, and nothing where there is nothing."""

from __future__ import annotations

from itertools import product
from xml.etree import ElementTree

import pytest

from arena.protocols import Facts
from arena.store.model import Attempt, AttemptKey, TaskFacts
from arena.tracks.repo.figures import figures_of

FACTS: Facts = {
    "small": TaskFacts("small", cwes=("CWE-125",), details={"files": 1, "lines": 4}),
    "large": TaskFacts("large", cwes=("CWE-416", "CWE-20"), details={"files": 3, "lines": 99}),
}
LABELS = {
    ("small", "neutral"): "C&S",
    ("small", "reminder"): "CS",
    ("large", "neutral"): "CV",
    ("large", "reminder"): "IC",
}


def attempt(task: str, agent: str, prompt: str = "neutral", **more: object) -> Attempt:
    key = AttemptKey(task, agent, "lab/m" if agent != "gold" else "", prompt)
    found = {"label": LABELS[task, prompt], "health": "ok", "usd": 0.5, **more}
    return Attempt(f"{task}-{agent}-{prompt}", "r", key, **found)  # type: ignore[arg-type]


def made(agents: tuple[str, ...] = ("one", "two")) -> list[Attempt]:
    return [attempt(task, agent, prompt) for agent, (task, prompt) in product(agents, LABELS)]


def told(attempts: list[Attempt], facts: Facts = FACTS) -> dict[str, list[str]]:
    """By the beginning of a figure's title: what is said in it, and where it is pointed at."""
    return {
        figure.title.partition(".")[0].partition(":")[0] + figure.title.partition(":")[2]: [
            str(one.text) for one in ElementTree.fromstring(figure.svg).iter() if one.text
        ]
        for figure in figures_of(attempts, facts)
    }


def test_labels_cost_weaknesses_and_the_reminder() -> None:
    found = told(made())
    assert list(found) == [
        "Figure 4", "Figure 5", "Figure 6", "Figure 7",
        "Labels by complexity files that gold changes",
        "Labels by complexity lines that gold changes",
    ]  # fmt: skip
    assert "one lab/m: C&S 1 of 2" in found["Figure 4"]
    assert "one lab/m (reminder): CS 1 of 2" in found["Figure 4"]
    assert "two lab/m: 50.0 %, 0.5000 USD" in found["Figure 5"]
    assert "CWE-416, one: 1 of 2 correct are vulnerable" in found["Figure 6"]
    assert "0 % of 4" in found["Figure 6"] and found["Figure 6"].count("100 % of 2") == 2
    assert "two lab/m without: CV 1 of 2" in found["Figure 7"]
    assert "two lab/m with: IC 1 of 2" in found["Figure 7"]
    assert "1 file: C&S 2 of 4" in found["Labels by complexity files that gold changes"]
    assert "51 to 150 lines: IC 2 of 4" in found["Labels by complexity lines that gold changes"]


def test_the_best_column_is_above() -> None:
    found = [one for one in told(made())["Figure 4"] if ": C&S" in one]
    assert [one.partition(":")[0] for one in found] == ["one lab/m", "two lab/m"]
    names = [one for one in told(made())["Figure 4"] if one.endswith(("lab/m", "(reminder)"))]
    assert names == ["one lab/m", "two lab/m", "one lab/m (reminder)", "two lab/m (reminder)"]


def test_new_findings_are_counted_once_an_attempt() -> None:
    some = [attempt("small", "one", new_cwes=("CWE-476", "CWE-476")), attempt("large", "one", new_cwes=("CWE-476", "CWE-20"))]  # fmt: skip
    found = told(some)["New findings by CWE"]
    assert "CWE-476: new in 2 of 2 attempts" in found and "CWE-20: new in 1 of 2 attempts" in found


def test_calibration_is_drawn_only_where_there_is_nothing_else() -> None:
    gold = [attempt("small", "gold", usd=0.0), attempt("large", "gold", usd=0.0)]
    assert not any("gold" in one for said in told(made() + gold).values() for one in said)
    assert "Figure 4" in told(gold) and "Figure 5" not in told(gold)


@pytest.mark.parametrize("attempts", [[], [attempt("small", "one", label=None, health="infra")]])
def test_without_labels_there_is_no_figure(attempts: list[Attempt]) -> None:
    assert figures_of(attempts, FACTS) == []


def test_tasks_that_tell_nothing_are_named_so() -> None:
    found = told(made(), {})
    assert list(found) == ["Figure 4", "Figure 5", "Figure 6", "Figure 7"]
    assert "50 % of 4" not in found["Figure 6"] and "not told" in found["Figure 6"]
