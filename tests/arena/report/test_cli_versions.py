"""`arena report` and `arena compare` mix no versions that do not compare, unless they are asked to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.store.model import AttemptKey, AttemptUpdate, Spent, StoredSolution, attempt_id
from arena.store.provenance import NOTHING_RECORDED, Provenance
from arena.store.store import Store
from harness.grade.verdict import Verdict
from tests.arena.conftest import Arena

pytestmark = pytest.mark.slow

FIVE = Provenance(grader_version="grader 5", task_digest="d" * 64)
FOUR = replace(FIVE, grader_version="grader 4")
MIXED = "grader version: grader 4 (2), grader 5 (2)"


def made(
    run: str, graded: dict[str, Provenance], track: str = "repo", pack: str = "starter"
) -> None:
    """A run with an attempt of each agent at two tasks."""
    store = Store()
    keys = [AttemptKey(task, agent) for task in ("t", "u") for agent in graded]
    store.open_run(pack, keys, {}, run, track)
    left = StoredSolution(store.keep(b"patch"), "finished")
    store.write(
        [
            AttemptUpdate(
                attempt_id(run, key),
                Spent(0.5, 1, 1.0, 1),
                left,
                Verdict("C&S" if key.task == "t" else "CV"),
                provenance=graded[key.agent],
            )
            for key in keys
        ]
    )


REPORTS = [
    (),
    ("--json",),
    ("--md",),
    ("--by", "task"),
    ("--csv", "--by", "task"),
    ("--html", "p.html"),
]
REPORTS += [("--paper", "paper")]


@pytest.mark.parametrize("form", REPORTS, ids=" ".join)
def test_a_report_over_two_graders(form: tuple[str, ...], arena: Arena) -> None:
    made("r", {"one": FIVE, "two": FOUR})
    refused = arena("report", "r", *form)
    assert (refused.status, refused.out) == (2, "")
    assert MIXED in refused.err and "--mix-versions" in refused.err
    assert not Path("p.html").exists() and not Path("paper").exists()
    assert arena("report", "r", *form, "--mix-versions").status == 0
    alone = arena("report", "r", *form, *(("--where", "agent=one") if "--html" not in form else ("--mix-versions",)))  # fmt: skip
    assert alone.status == 0 or form == ("--paper", "paper")


def test_rows_alone_are_not_refused(arena: Arena) -> None:
    made("r", {"one": FIVE, "two": FOUR})
    done = arena("report", "r", "--csv")
    assert done.status == 0
    head, *lines = done.out.splitlines()
    place = head.split(",").index("grader_version")
    assert {line.split(",")[place] for line in lines} == {"grader 4", "grader 5"}


def test_what_is_mixed_is_said_everywhere(arena: Arena) -> None:
    made("r", {"one": FIVE, "two": FOUR})
    told = f"labels that do not compare are taken together: {MIXED}"
    assert told in arena("report", "r", "--mix-versions").err
    assert f"Warning: {told}" in arena("report", "r", "--md", "--mix-versions").out
    assert arena("report", "r", "--json", "--mix-versions").json["warnings"] == [told]


def test_a_report_says_on_what_it_rests(arena: Arena) -> None:
    made("r", {"one": FIVE})
    assert "rests on grader version grader 5; task digest " in arena("report", "r").err
    assert arena("report", "r", "--json").json["provenance"]["grader version"] == "grader 5"
    assert "Rests on grader version grader 5; task digest " in arena("report", "r", "--md").out


def test_an_old_run_is_reported_and_says_so(arena: Arena) -> None:
    made("r", {"one": NOTHING_RECORDED, "two": NOTHING_RECORDED})
    done = arena("report", "r")
    assert done.status == 0 and "rests on grader version not recorded" in done.err


def test_pages_of_several_runs_show_them_apart(arena: Arena) -> None:
    made("r", {"one": FIVE})
    made("s", {"one": FOUR})
    assert arena("report", "s", "--html", "all.html", "--all").status == 0


@pytest.mark.parametrize(
    "args",
    [("r", "one", "two", "--by", "agent"), ("r", "--all"), ("r", "r", "s", "--by", "run")],
    ids=" ".join,
)
def test_a_comparison_over_two_graders(args: tuple[str, ...], arena: Arena) -> None:
    by_run = "run" in args
    made("r", {"one": FIVE} if by_run else {"one": FIVE, "two": FOUR})
    made("s", {"one": FOUR})
    refused = arena("compare", *args)
    assert (refused.status, refused.out) == (2, "") and MIXED in refused.err
    done = arena("compare", *args, "--mix-versions")
    assert done.status == 0 and f"warning: labels that do not compare are taken together: {MIXED}" in done.err  # fmt: skip
    assert len(arena("compare", *args, "--mix-versions", "--json").json["warnings"]) == 1


def test_a_comparison_minds_its_two_sides_only(arena: Arena) -> None:
    made("r", {"one": FIVE, "two": FIVE, "old": FOUR})
    assert arena("compare", "r", "one", "two", "--by", "agent").status == 0
    assert arena("compare", "r", "--all").status == 2


def test_an_attempt_says_on_what_it_rests(arena: Arena) -> None:
    made("r", {"one": replace(FIVE, scanner="semgrep \x1b[2J1")})
    (first, *_) = Store().attempts("r")
    shown = arena("show", first.id)
    assert f"rests on grader version grader 5; task digest {'d' * 64}" in " ".join(
        shown.out.split()
    )
    assert "\x1b" not in shown.out
    assert arena("show", first.id, "--json").json["provenance"]["grader_version"] == "grader 5"
    made("old", {"one": NOTHING_RECORDED})
    old = Store().attempts("old")[0]
    assert "rests on what is not recorded" in arena("show", old.id).out


STUDIES = {
    "exposure": ("repo", ["exposure", "r"]),
    "exposure of two runs": ("repo", ["exposure", "r", "s"]),
    "judge": ("mutation", ["judge", "r"]),
    "baseline": ("mutation", ["baseline", "--run", "r", "--task", "after-sign-in"]),
    "validate": ("dual", ["validate", "r", "--labels", "labels.csv"]),
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_over_two_graders(name: str, arena: Arena) -> None:
    track, line = STUDIES[name]
    made("r", {"one": FIVE} if "s" in line else {"one": FIVE, "two": FOUR}, track, track)
    if "s" in line:
        made("s", {"two": FOUR}, track, track)
    Path("labels.csv").write_text("sample,test,passed\n")
    refused = arena("study", *line)
    assert (refused.status, refused.out) == (2, "")
    assert MIXED in refused.err and "--mix-versions" in refused.err
    warning = f"warning: labels that do not compare are taken together: {MIXED}"
    assert warning in arena("study", *line, "--mix-versions").err
    assert MIXED not in arena("report", "r", "--where", "agent=one").err
