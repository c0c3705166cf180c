"""Executor and oracles against labels: counts by hand, labels of any form, and templates to fill in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.labels import LabelsError
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult
from arena.tracks.dual.validation import (
    HumanLabel,
    judge_agreement,
    load_labels,
    measure_agreement,
    sample_for_labels,
    scores,
    validate,
    write_template,
)
from tests.arena.dual.scored import row, said

PASS, FAIL = HumanLabel(True, OracleVerdict.PASS), HumanLabel(True, OracleVerdict.FAIL)
STUCK = HumanLabel(False, OracleVerdict.FAIL)

FOUND = [
    row("a", "0", "pf", "pe"),
    row("b", "0", "p-", "p", health="infra"),
    row("c", "0", "p-", "p"),
]


def test_scores_by_hand() -> None:
    """4 found rightly, 1 wrongly, 2 missed, 3 left alone rightly."""
    pairs = [(True, True)] * 4 + [(True, False)] + [(False, True)] * 2 + [(False, False)] * 3
    found = scores(pairs)
    assert (found.hits, found.false_alarms, found.misses, found.rejections) == (4, 1, 2, 3)
    assert found.precision.value == 4 / 5 and found.precision.n == 5
    assert found.recall.value == 4 / 6 and found.recall.n == 6
    assert found.f1.value == pytest.approx(2 * 0.8 * (2 / 3) / (0.8 + 2 / 3))
    assert found.n == found.f1.n == 10


def test_the_paper_s_f1_follows_from_its_precision_and_recall() -> None:
    """Counts that give Table 2's precision and recall of the executor give its F1 as well."""
    found = scores([(True, True)] * 116 + [(True, False)] * 6 + [(False, True)] * 21)
    values = (found.precision.value, found.recall.value, found.f1.value)
    assert [round(value or 0, 4) for value in values] == [0.9508, 0.8467, 0.8958]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_classes_are_mirrored(pairs: list[tuple[bool, bool]]) -> None:
    found = measure_agreement(pairs)
    assert found.passing.hits == found.failing.rejections
    assert found.passing.false_alarms == found.failing.misses
    assert found.passing.n == found.failing.n == len(pairs)
    for one in (found.passing, found.failing):
        assert (one.f1.value is None) == (one.hits + one.false_alarms + one.misses == 0)


def test_executor_and_evaluator_apart() -> None:
    found = validate(
        FOUND,
        {
            ("a", "0", "f0"): PASS,
            ("a", "0", "f1"): PASS,
            ("a", "0", "s0"): FAIL,
            ("a", "0", "s1"): FAIL,
            ("b", "0", "f0"): PASS,
            ("c", "0", "f0"): STUCK,
            ("c", "0", "f1"): PASS,
            ("c", "0", "s0"): HumanLabel(None, None),
            ("z", "0", "f0"): PASS,
        },
    )
    ran, passing = found.executor, found.evaluator.passing
    assert (ran.hits, ran.false_alarms, ran.misses, ran.rejections) == (3, 1, 1, 0)
    assert (passing.hits, passing.false_alarms) == (1, 2)
    assert (passing.misses, passing.rejections) == (1, 1)
    assert found.evaluator.same == 2 and found.evaluator.failing.hits == 1
    assert found.unknown == ("z/0/f0",)
    assert (found.untold, found.infra, found.unjudged) == (1, 1, 1)
    assert found.by["kind"]["security"].passing.n == 2
    assert list(found.by["decided_by"]) == ["deterministic"]
    assert json.loads(json.dumps(found.to_json()))["evaluator"]["pass"]["tp"] == 1


def with_oracles(letter: str, *oracles: tuple[str, str, bool]) -> list[SampleResult]:
    sample = row("a", "0", letter, "p")
    own = tuple(said(*oracle) for oracle in oracles)
    first = sample.tests[0].model_copy(update={"oracles": own, "oracle": "judge"})
    return [sample.model_copy(update={"tests": (first, *sample.tests[1:])})]


@pytest.mark.parametrize(
    ("letter", "oracles", "by_judge", "both"),
    [
        ("p", (("survives", "p", False), ("judge", "p", True)), True, 0),
        ("f", (("survives", "p", False), ("judge", "f", True)), True, 0),
        ("f", (("survives", "f", False), ("judge", "f", True)), False, 0),
        ("p", (("returns", "p", False), ("judge", "p", True)), False, 1),
        ("f", (("returns", "f", False), ("judge", "p", True)), False, 1),
        ("p", (("returns", "p", False),), False, 0),
        ("-", (("returns", "-", False), ("judge", "p", True)), False, 0),
    ],
)
def test_who_decided(
    letter: str, oracles: tuple[tuple[str, str, bool], ...], by_judge: bool, both: int
) -> None:
    found = with_oracles(letter, *oracles)
    assert found[0].tests[0].is_judged_by_model is by_judge
    agreement = judge_agreement(found)
    assert agreement.passing.n == both
    if both:
        assert agreement.same == (letter == "p")


def test_labels_in_each_form(tmp_path: Path) -> None:
    rows = [
        {"task": "a", "sample": 0, "test": "f0", "executed": True, "verdict": "pass"},
        {"task": "a", "sample": "0", "test": "f1", "executed": None, "verdict": "FAIL"},
    ]
    texts = {
        "l.jsonl": "\n".join(json.dumps(row) for row in rows),
        "l.json": json.dumps(rows),
        "l.csv": "task,sample,test,executed,verdict\na,0,f0,yes,pass\na,0,f1,,fail\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert load_labels(tmp_path / name) == {
            ("a", "0", "f0"): PASS,
            ("a", "0", "f1"): HumanLabel(None, OracleVerdict.FAIL),
        }, name


GOOD = '{"task": "a", "sample": "0", "test": "f0", "verdict": "pass"}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no label in it"),
        (GOOD + "\n" + GOOD, "line 2: test: 'a/0/f0' is there twice"),
        (GOOD.replace("pass", "maybe"), "line 1: verdict: 'maybe' is neither pass nor fail"),
        (GOOD.replace('"task": "a",', ""), "line 1: task: missing"),
        (GOOD[:-1] + ', "executed": 7}', "line 1: executed: '7' is neither true nor false"),
        (GOOD + "\n{", "line 2: not an object"),
        ("[1]", "label 1: not an object"),
        ("[" * 100_000, "line 1: not an object"),
        ('task,sample\n"', "line 2: task: missing"),
    ],
)
def test_a_wrong_label_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "labels"
    path.write_text(text)
    with pytest.raises(LabelsError) as caught:
        load_labels(path)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_file_gives_labels_or_one_clear_line(text: str) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "labels"
        path.write_text(text, "utf-8", "replace")
        with pytest.raises(LabelsError, match="--labels"):
            load_labels(path)


def test_a_template_holds_each_task_once_and_no_verdict(tmp_path: Path) -> None:
    tasks = [*(row(f"={n}", str(s), "pf", "p") for n in range(20) for s in range(3))]
    found = sample_for_labels(tasks, 15, seed=1)
    assert len({one["task"] for one in found}) == 15 == len(found)
    assert found == sample_for_labels(tasks, 15, seed=1) != sample_for_labels(tasks, 15, seed=2)
    assert {one["verdict"] for one in found} == {None}
    assert {one["test"] for one in sample_for_labels(tasks, 99)} == {"f0", "f1", "s0"}
    for as_csv in (True, False):
        path = tmp_path / "template"
        path.write_text(write_template(found, as_csv))
        assert "\n=" not in path.read_text()
        again = validate(tasks, load_labels(path))
        assert (again.unknown, again.untold, again.evaluator.passing.n) == ((), 15, 0)
