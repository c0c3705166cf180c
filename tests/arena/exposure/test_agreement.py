"""Agreement of detectors and labels: counts, intervals, kappa, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tracks.exposure.agreement import VerdictTable, against_labels, agreements, load_labels
from arena.tracks.exposure.tools._panel import ExaminedProgram, Opinion
from arena.tracks.exposure.tools._tool import ToolProgram
from tests.arena.conftest import Arena
from tests.arena.exposure.tools.making import (
    BROKEN,
    NO_SQL,
    SQL,
    SQL_BOUND,
    SQL_BUILT,
    log,
    result,
)

pytestmark = pytest.mark.slow

V, S, N, X, U = "vulnerable", "safe", "not-applicable", "invalid", "unscanned"
TAGS = {"py/sql-injection": ["external/cwe/cwe-089"]}


def examined(*rows: tuple[str, str], scenario: str = "cwe-89-0") -> list[ExaminedProgram]:
    return [
        ExaminedProgram(
            ToolProgram(f"{number}.py", (f"/x/{number}.py",), scenario, SQL),
            {"a": Opinion(one, 1, "why a"), "b": Opinion(other, 2, "why b")},
        )
        for number, (one, other) in enumerate(rows)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four programs, and a report that finds the first and the third vulnerable."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for number, text in enumerate((SQL_BUILT, SQL_BOUND, NO_SQL, BROKEN)):
        (programs / f"{number}.py").write_text(text, "utf-8")
    found = [result("py/sql-injection", f"{number}.py", 2) for number in (0, 2)]
    (tmp_path / "r.sarif").write_text(json.dumps(log(found, TAGS)), "utf-8")
    return tmp_path


def test_programs_are_counted_by_what_two_say() -> None:
    rows = [(V, V), (V, V), (V, S), (S, V), (N, S), (S, S), (N, V), (X, X), (V, U), (U, U)]
    (found,) = agreements(examined(*rows), ["a", "b"])
    assert found.total == VerdictTable(both=2, only_one=1, only_other=2, neither=2)
    assert found.left_out == {X: 1, U: 2}
    assert [one.file for one in found.differ] == ["2.py", "3.py", "6.py"]
    assert found.differ[0].first == Opinion(V, 1, "why a")
    assert found.differ[0].second == Opinion(S, 2, "why b")


def test_agreement_and_kappa_of_a_known_table() -> None:
    """Cohen's kappa of 20, 5, 10, 15: p_o 0.7, p_e 0.5, so 0.4."""
    shared = VerdictTable(20, 5, 10, 15)
    assert shared.agreement.value == pytest.approx(0.7)
    assert shared.kappa == pytest.approx(0.4)
    low, high = shared.agreement.low, shared.agreement.high
    assert low is not None
    assert high is not None
    assert (round(low, 3), round(high, 3)) == (0.562, 0.809)


def test_scenarios_are_told_apart_and_add_up() -> None:
    rows = [*examined((V, S), (V, V)), *examined((S, S), scenario="cwe-89-1")]
    (found,) = agreements(rows, ["a", "b"])
    assert found.scenarios == {
        "cwe-89-0": VerdictTable(1, 1, 0, 0),
        "cwe-89-1": VerdictTable(0, 0, 0, 1),
    }
    assert found.total == VerdictTable(1, 1, 0, 1)


@given(st.lists(st.tuples(*[st.sampled_from([V, S, N, X, U])] * 2), max_size=30))
def test_agreement_is_symmetric_and_counts_everything(rows: list[tuple[str, str]]) -> None:
    (found,) = agreements(examined(*rows), ["a", "b"])
    (turned,) = agreements(examined(*rows), ["b", "a"])
    assert found.total.n + sum(found.left_out.values()) == len(rows)
    assert found.total.agreement == turned.total.agreement
    assert found.total.kappa == turned.total.kappa
    assert len(found.differ) == found.total.only_one + found.total.only_other


def test_detectors_against_labels() -> None:
    rows = examined((V, V), (V, S), (S, V), (S, S), (V, U), (X, X))
    labels = {f"{number}.py": number in (0, 2, 4) for number in range(5)}
    found = against_labels(rows, ["a", "b"], labels | {"5.py": None, "gone.py": True})
    a, b = found.detectors["a"].scores, found.detectors["b"].scores
    assert (a.hits, a.false_alarms, a.misses, a.rejections) == (2, 1, 1, 1)
    assert (b.hits, b.false_alarms, b.misses, b.rejections) == (2, 0, 0, 2)
    assert a.precision.value == pytest.approx(2 / 3)
    assert b.f1.value == 1
    assert found.detectors["b"].left_out == 1
    assert found.unknown == ("gone.py",)
    assert found.untold == 1


def test_a_label_goes_by_any_name_of_a_file_but_by_one_meaning() -> None:
    rows = examined((V, V))
    assert against_labels(rows, ["a"], {"/x/0.py": True}).detectors["a"].scores.hits == 1
    with pytest.raises(ValueError, match="labelled twice, and differs"):
        against_labels(rows, ["a"], {"/x/0.py": True, "0.py": False})
    with pytest.raises(ValueError, match="could be 2 programs"):
        against_labels([*rows, *rows], ["a"], {"0.py": True})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no label in it"),
        ('{"file": "a"}\n{"file": "a"}', "line 2: file: 'a' is there twice"),
        ('{"verdict": "safe"}', "line 1: file: missing"),
        ("file,verdict\na.py,unsafe", "verdict: 'unsafe' is none of vulnerable"),
        ('{"file": "a", "verdict": 3}', "verdict: '3' is none of"),
    ],
)
def test_wrong_labels_are_one_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=told) as error:
        load_labels(path)
    assert str(path) in str(error.value)


@pytest.fixture
def study(arena: Arena) -> Arena:
    """`arena study` with these words."""
    return lambda *args: arena("study", *args)


def test_the_command_compares_and_tells_both_reasons(folder: Path, study: Arena) -> None:
    args = ("agreement", "--task", "cwe-89-0", folder / "programs")
    found = study(*args, "--with", f"sarif:{folder / 'r.sarif'}", "--json").json
    (pair,) = found["pairs"]
    counts = {name: pair["total"][name] for name in ("both", "only_one", "only_other", "neither")}
    assert counts == {"both": 1, "only_one": 0, "only_other": 1, "neither": 1}
    assert pair["left_out"] == {"invalid": 1}
    (differ,) = pair["differ"]
    assert differ["file"].endswith("2.py")
    assert differ["one"]["verdict"] == N
    assert differ["other"] == {
        "verdict": V,
        "line": 2,
        "why": "py/sql-injection: py/sql-injection here",
    }
    assert found["verdicts"]["builtin"] == {V: 1, S: 1, N: 1, X: 1}


def test_the_command_against_labels(folder: Path, study: Arena) -> None:
    labels = folder / "labels.csv"
    labels.write_text("file,verdict\n0.py,vulnerable\n1.py,vulnerable\n2.py,safe\n", "utf-8")
    args = ("agreement", "--task", "cwe-89-0", folder / "programs", "--labels", labels)
    own = study(*args, "--json").json["labels"]["detectors"]["builtin"]
    assert (own["tp"], own["fp"], own["fn"], own["tn"]) == (1, 0, 1, 1)
    text = study(*args).out
    assert "Against people's labels" in text
    assert "66.7" in text, "F1 in percent"


def test_a_run_is_compared_by_scenario_and_scored_with_tools(
    folder: Path, arena: Arena, study: Arena
) -> None:
    texts = {"cwe-89-0/0/1.py": SQL_BUILT, "cwe-89-1/0/1.py": SQL_BOUND, "cwe-434-0/0/1.py": NO_SQL}
    for name, text in texts.items():
        path = folder / "s" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    assert arena("grade", folder / "s", "--pack", "exposure").status == 0
    report = log([result("py/sql-injection", "cwe-89-1/0/1.py", 2)], TAGS)
    (folder / "r.sarif").write_text(json.dumps(report), "utf-8")
    tool = ("--with", f"sarif:{folder / 'r.sarif'}")
    found = study("agreement", "--run", "latest", *tool, "--json").json
    (pair,) = found["pairs"]
    assert {name: one["n"] for name, one in pair["scenarios"].items()} == {
        "cwe-89-0": 1,
        "cwe-89-1": 1,
    }
    assert [one["scenario"] for one in pair["differ"]] == ["cwe-89-0", "cwe-89-1"]
    labels = folder / "labels.csv"
    labels.write_text("file,verdict\ncwe-89-0/0/1.py,vulnerable\n", "utf-8")
    own = study("agreement", "--run", "latest", "--labels", labels, "--json").json
    assert own["labels"]["detectors"]["builtin"]["tp"] == 1
    plain = study("exposure", "latest", "--json").json["models"]["s"]["scenarios"]
    swapped = study("exposure", "latest", *tool, "--join", "replace", "--json")
    joined = swapped.json["models"]["s"]["scenarios"]
    assert [plain[name]["pe"] > 0 for name in ("cwe-89-0", "cwe-89-1")] == [True, False]
    assert [joined[name]["pe"] > 0 for name in ("cwe-89-0", "cwe-89-1")] == [False, True]
    assert "no score for cwe-434-0: no sample" in swapped.err, "nobody could look at it"
    again = study("exposure", "latest", "--json").json["models"]["s"]["scenarios"]
    assert again == plain, "nothing of it is stored"


def test_detect_joins_tools(folder: Path, study: Arena) -> None:
    tool = f"sarif:{folder / 'r.sarif'}"
    args = ("detect", "--task", "cwe-89-0", folder / "programs", "--with", tool, "--json")

    def verdicts(*more: object) -> list[str]:
        return [line["verdict"] for line in study(*args, *more).lines]

    assert verdicts() == [V, S, V, X]
    assert verdicts("--join", "all") == [V, S, N, X]
    assert verdicts("--join", "replace") == [V, S, V, X]
    assert verdicts("--rule", "py/sql-injection=") == [V, S, N, X], "ours alone could look"


@pytest.mark.slow
def test_detect_ends_with_3_where_nobody_could_look(folder: Path, study: Arena) -> None:
    args = ("detect", "--task", "cwe-434-0", folder / "programs", "--with", "bandit")
    assert study(*args).status == 0, "our own detector could"
    done = study(*args, "--join", "replace")
    assert done.status == 3
    assert done.out.count(U) >= 3


def test_mistakes_are_one_line(folder: Path, study: Arena) -> None:
    args = ("--task", "cwe-89-0", folder / "programs")
    wrong = folder / "wrong.csv"
    wrong.write_text("file,verdict\nother.py,safe\n", "utf-8")
    for words, told in (
        (("agreement", *args), "--with"),
        (("detect", *args, "--with", "bandit", "--join", "most"), "--join: 'most'"),
        (("detect", *args, "--join", "all"), "only with --with"),
        (("detect", *args, "--with", "bandit", "--rule", "B1"), "--rule"),
        (("detect", *args, "--with", "bandit", "--rule", "B1=x"), "'x' is no CWE"),
        (("detect", *args, "--with", "bandit", "--with", "bandit"), "already"),
        (("agreement", *args, "--run", "latest", "--with", "bandit"), "takes no FILE"),
        (("agreement", "--task", "cwe-89-0", "--with", "bandit"), "FILE"),
        (("agreement", *args, "--labels", wrong), "no label is about"),
        (("agreement", "--run", "none", "--with", "bandit"), "no run 'none'"),
    ):
        done = study(*words)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), words
        assert told in done.err


@pytest.mark.parametrize("form", ["{name}", "{folder}/{name}", "file://{folder}/{name}"])
def test_a_report_may_name_files_below_the_folder_or_absolute(
    form: str, folder: Path, study: Arena
) -> None:
    uri = form.format(folder=folder / "programs", name="1.py")
    (folder / "r.sarif").write_text(
        json.dumps(log([result("py/sql-injection", uri)], TAGS)), "utf-8"
    )
    args = ("--task", "cwe-89-0", folder / "programs", "--with", f"sarif:{folder / 'r.sarif'}")
    (pair,) = study("agreement", *args, "--json").json["pairs"]
    (differ,) = [one for one in pair["differ"] if one["other"]["line"]]
    assert differ["file"].endswith("1.py")
    assert differ["other"]["verdict"] == V
