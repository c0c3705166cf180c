"""Labels are reported together where they compare; else it is said which versions they are of, and how to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.report.board.data import board
from arena.report.provenance import (
    UNRECORDED,
    VersionsDiffer,
    differences,
    expect_comparable,
    mixing,
    summary,
    summary_line,
)
from arena.store.model import Row
from arena.store.provenance import Provenance
from harness.grade.ports import digest_of
from tests.arena.report.made import row

FIVE = Provenance(
    grader_version="grader 5",
    pack_version="1.2",
    task_digest="d" * 64,
    image_digest="sha256:1",
    scanner="semgrep 1",
    rules="builtin 01",
    agent_version="0.169.0",
    effort="high",
    prices="LiteLLM 1 of 2026-05-01",
)
OLD = Provenance()


def graded(provenance: Provenance, label: str | None = "C&S", **more: object) -> Row:
    return row(label, provenance=provenance, **more)


@pytest.mark.parametrize(
    "others",
    [
        FIVE,
        replace(FIVE, image_digest="sha256:2", pack_version="1.3"),
        replace(FIVE, agent_version="1", effort="low", prices="LiteLLM 2 of 2026-06-01"),
    ],
    ids=["the same", "where it was graded", "what is compared"],
)
def test_what_was_graded_alike_compares(others: Provenance) -> None:
    found = [graded(FIVE), graded(others)]
    assert differences(found) == mixing(found) == []
    expect_comparable(found, mix_versions=False)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"grader_version": "grader 4"}, "grader version: grader 5 (2), grader 4 (1)"),
        ({"task_digest": "e" * 64}, f"task digest of t: {'d' * 64} (2), {'e' * 64} (1)"),
        ({"scanner": "semgrep 2"}, "scanner of t: semgrep 1 (2), semgrep 2 (1)"),
        ({"rules": "builtin 02"}, "rules of t: builtin 01 (2), builtin 02 (1)"),
        ({"scanner": ""}, "scanner of t: semgrep 1 (2), none (1)"),
    ],
)
def test_what_was_graded_otherwise_does_not(changed: dict[str, str], told: str) -> None:
    found = [graded(FIVE), graded(FIVE), graded(replace(FIVE, **changed))]
    assert differences(found) == [told]
    with pytest.raises(VersionsDiffer) as seen:
        expect_comparable(found, mix_versions=False)
    assert f": {told}; " in str(seen.value) and "--mix-versions" in str(seen.value)
    assert "\n" not in str(seen.value)
    expect_comparable(found, mix_versions=True)
    assert mixing(found) == [f"labels that do not compare are taken together: {told}"]


def test_old_labels_compare_with_one_another_and_with_no_others() -> None:
    old = [graded(OLD), graded(OLD, "CV")]
    assert differences(old) == [] and summary(old)[0] == ("grader version", UNRECORDED)
    assert differences([*old, graded(FIVE)]) == ["grader version: not recorded (2), grader 5 (1)"]


def test_tasks_and_tracks_have_graders_of_their_own() -> None:
    other = replace(FIVE, task_digest="e" * 64, scanner="bandit 1", rules="")
    suite = Provenance(grader_version="scorer 2", task_digest="f" * 64)
    found = [graded(FIVE), graded(other, task="u"), graded(suite, track="mutation")]
    assert differences(found) == []
    assert differences([*found, graded(FIVE, task="u"), graded(FIVE, task="u", pack="q")]) == [
        f"task digest of u: {'d' * 64} (1), {'e' * 64} (1)",
        "scanner of u: bandit 1 (1), semgrep 1 (1)",
        "rules of u: builtin 01 (1), none (1)",
    ]


def test_more_tasks_and_more_values_are_counted() -> None:
    found = [
        graded(replace(FIVE, rules=f"r{n}"), task=task)
        for task in ("t", "u", "v")
        for n in range(6)
    ]
    (line,) = differences(found)
    assert line == "rules of t and of 2 more: r0 (1), r1 (1), r2 (1), r3 (1), 2 more"


def test_attempts_without_a_label_take_no_part() -> None:
    found = [graded(FIVE), graded(replace(FIVE, grader_version="grader 4"), None)]
    assert differences(found) == []
    assert dict(summary(found))["grader version"] == "grader 5"


def test_a_summary_names_each_fact_once() -> None:
    told = dict(summary([graded(FIVE), graded(FIVE, task="u", model="m (high)")]))
    assert list(told) == [
        *("grader version", "pack version", "task digest", "image digest", "scanner", "rules"),
        *("agent version", "effort", "price table"),
    ]
    lines = [f"p/{task} {'d' * 64}" for task in "tu"]
    assert told["task digest"] == f"{digest_of(*lines)} over 2 tasks"
    assert (told["agent version"], told["effort"]) == ("a 0.169.0", "high")


def test_what_does_not_apply_is_left_out_of_a_summary() -> None:
    suite = Provenance(grader_version="scorer 2", task_digest="f" * 64)
    told = dict(summary([graded(suite, model="")]))
    assert list(told) == ["grader version", "task digest"]
    asked = dict(summary([graded(replace(suite, prices="P"))]))
    assert asked["price table"] == "P" and "effort" not in asked
    some = [graded(replace(suite, prices="P")), graded(replace(suite, prices="P", effort="low"))]
    assert dict(summary(some))["effort"] == "low (1), none (1)"


def test_no_fact_acts_on_a_terminal() -> None:
    told = summary_line([graded(replace(FIVE, scanner="\x1b[31m\nx")), graded(FIVE)])
    assert told.isprintable()


def test_the_page_has_both(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [graded(FIVE), graded(replace(FIVE, grader_version="grader 4"))]
    data = board(found, [], live=False)
    assert ["grader version", "grader 4 (1), grader 5 (1)"] in data["provenance"]
    assert data["warnings"] == mixing(found) and data["warnings"]
