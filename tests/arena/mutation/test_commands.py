"""The track as a user meets it: run, grade, report and compare, its imports and its studies."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli.main import app
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.metrics import SCORES
from arena.tracks.mutation.results import MEANING, State
from tasks.loader import TaskError
from tests.arena.mutation.records import BAD, RECORD, SECOND, SUITE
from tests.arena.tracks.opening import fenced, says

pytestmark = pytest.mark.rotating(3)

BLIND = "def test_same():\n    assert digest(b'x') == digest(b'x')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One store for all: what one test scored, the next finds."""
    made = tmp_path_factory.mktemp("mutation")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_HOME", str(made / "store"))
        yield made


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Path:
    path = folder / "dataset.json"
    path.write_text(json.dumps({"samples": [RECORD, SECOND, BAD]}), "utf-8")
    return path


@pytest.fixture(scope="module")
def reference(dataset: Path) -> dict[str, Any]:
    """What the shipped tests come to, by the paper's classifier."""
    return graded(dataset, "--set", "classifier=paper")


def arena(*arguments: object, status: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, (done.output, done.exception)
    return done


def graded(pack: Path, *more: object, answers: object = "reference") -> dict[str, Any]:
    done = arena("grade", answers, "--pack", pack, "--workers", 1, "--json", *more)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
def test_the_shipped_tests_are_graded_with_all_that_tables_need(reference: dict[str, Any]) -> None:
    summary = reference["metrics"]["summary"]
    assert summary["kills"] == {
        "semantic": 1, "functional": 0, "incidental": 0, "crash": 1, "other": 0
    }  # fmt: skip
    assert (summary["spr"], summary["vd"]) == (50.0, 50.0)
    assert summary["ms"] == pytest.approx(200 / 3) and summary["sms"] == pytest.approx(100 / 3)
    assert summary["eff_sms"] == pytest.approx(100 / 6)
    assert summary["states"] == {"valid": 1, "fails-on-secure": 1}
    first, second = reference["attempts"]
    assert (first["task"], first["label"], second["label"]) == ("hash", "detects", "IC")
    suite = first["details"]["suite"]
    assert (suite["secure_passes"], suite["insecure_fails"], suite["tests"]) == (True, True, 2)
    assert (suite["classifier"], suite["cwe"], suite["difficulty"]) == ("paper", "CWE-327", "easy")
    ended = {m["id"]: (m["killed"], m["category"]) for m in first["details"]["mutants"]}
    assert ended == {
        "weak": (True, "semantic"),
        "broken": (True, "crash"),
        "equal": (False, None),
    }
    assert second["details"]["suite"]["state"] == "fails-on-secure"
    assert second["details"]["mutants"] == []


@pytest.mark.slow
def test_answers_of_a_folder_of_which_one_was_never_written(dataset: Path, folder: Path) -> None:
    suites = folder / "suites"
    suites.mkdir()
    (suites / "hash.py").write_text(SUITE, "utf-8")
    found = graded(dataset, "--set", "classifier=paper", answers=suites)
    assert [one["label"] for one in found["attempts"]] == ["detects", "NO"]
    assert found["metrics"]["summary"]["spr"] == 50.0
    assert list(found["metrics"]["columns"]) == ["answers suites"]


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_a_run_is_reported_and_compared(dataset: Path, folder: Path) -> None:
    """A model that is blind, beside the shipped tests and a trivial suite."""
    model = says(folder, "blind", fenced(BLIND))
    agents = ("direct", "shipped", "trivial:source-equality")
    args = [part for agent in agents for part in ("--agent", agent)]
    arena("run", "--pack", dataset, "--task", "hash", *args, "--model", model, "--workers", 1)
    told = json.loads(arena("report", "latest", "--json").stdout)
    assert [table["number"] for table in told["tables"]] == [4, 5, 7, 8]
    rows = {row[0]: row for row in told["tables"][0]["rows"]}
    assert list(rows) == ["shipped", f"direct {model} (full)", "trivial:source-equality"]
    assert rows["trivial:source-equality"][1] == 100.0, "it kills all, and earns nothing"
    assert rows["trivial:source-equality"][3] == 0.0
    assert told["metrics"]["summary"]["suites"] == 2
    assert "Table 8. SMS % by prompt" in arena("report", "latest", "--md").stdout
    compared = arena("compare", "latest", "direct", "shipped", "--by", "agent", "--json").stdout
    scores, tests = json.loads(compared)["tables"]
    assert ["vd", 100.0] in [row[:2] for row in scores["rows"]]
    assert tests["rows"][0][:4] == ["vd", 1, 0, 1]


@pytest.mark.slow
def test_an_imported_pack_scores_the_same(
    dataset: Path, reference: dict[str, Any], folder: Path
) -> None:
    pack = folder / "pack"
    done = arena("tasks", "import", "secmutbench", dataset, "--out", pack, "--licence", "MIT")
    assert "2 programs read, 1 records left out" in done.output
    found = graded(pack, "--set", "classifier=paper")
    assert found["metrics"]["summary"] == reference["metrics"]["summary"]
    assert [one["details"] for one in found["attempts"]] == [
        one["details"] for one in reference["attempts"]
    ]


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_a_baseline_stands_beside_the_suites_of_a_run(
    dataset: Path, reference: dict[str, Any]
) -> None:
    done = arena("study", "baseline", "--pack", dataset, "--run", reference["run"])
    assert "2 of 2 insecure versions reported" in done.output
    assert "shipped" in done.output and "CWE-327" in done.output
    told = json.loads(arena("study", "baseline", "--pack", dataset, "--json").stdout)
    assert [table["number"] for table in told["tables"]] == [4, 7]
    assert told["detection"]["rates"]["detected"] == 100.0


@pytest.mark.rotating(4)
@pytest.mark.slow
def test_classifiers_models_and_people_are_compared(
    dataset: Path, reference: dict[str, Any], folder: Path
) -> None:
    other = graded(dataset, "--set", "classifier=behaviour", "--task", "hash")
    labels, judge = folder / "labels.csv", says(folder, "judge", "crash")
    labels.write_text("id,category\nhash/weak,semantic\nhash/broken,crash\n")
    args = ("study", "judge", reference["run"], other["run"])
    told = json.loads(
        arena(*args, "--model", judge, "--labels", labels, "--json").stdout.splitlines()[-1]
    )
    assert told["categories"] == {"hash/weak": "crash", "hash/broken": "crash"}
    raters = {(one["one"], one["other"]): (one["same"], one["n"]) for one in told["agreement"]}
    assert raters["judge", "labels"] == (1, 2) and raters["paper", "labels"] == (2, 2)
    assert raters["paper", "behaviour"] == (2, 2)
    assert [table["number"] for table in told["tables"]] == [6]
    again = arena(*args, "--model", judge)
    assert "judged: 2 crash; 0 unparsed; nothing was asked now" in again.stdout
    assert "Table 6. Agreement on categories with paper" in arena(*args).stdout
    alone = CliRunner().invoke(app, ["study", "judge", reference["run"]])
    assert "only paper: see --model, --labels" in str(alone.exception)
    gone = says(folder, "gone", "")
    Path(gone.removeprefix("script:")).write_text('{"turns": [{"fault": "401"}], "then": "repeat"}')
    lost = arena(*args, "--model", gone, status=3)
    assert "the key is wrong" in lost.stderr and "the same command goes on" in lost.stderr


def test_operators_are_listed() -> None:
    found = json.loads(arena("study", "operators", "--json").stdout)
    hashing = next(operator for operator in found if operator["name"] == "WEAKCRYPTO")
    assert "CWE-327" in hashing["cwes"] and "md5" in hashing["terms"]
    assert {"variant", "before", "after"} <= hashing["examples"][0].keys()
    assert "WEAKCRYPTO" in arena("study", "operators").output


@pytest.mark.slow
def test_mutants_come_with_their_proof(dataset: Path) -> None:
    done = arena("study", "mutants", "--pack", dataset, "--task", "hash", "--json")
    (program,) = json.loads(done.stdout)["samples"]
    assert program["id"] == "hash" and program["mutants"]
    for mutant in program["mutants"]:
        assert {"id", "operator", "variant", "cwe", "code", "oracle"} <= mutant.keys()
        assert mutant["oracle"] and mutant["cwe"] == "CWE-327"
        compile(mutant["code"], "<mutant>", "exec")
    assert re.search(r"hash: \d+ mutants: \d+ counts", done.stderr)
    yields = json.loads(
        arena(
            "study", "mutants", "--pack", dataset, "--task", "hash", "--by-variant", "--json"
        ).stdout
    )
    counted = Counter(f"WEAKCRYPTO:{mutant['variant']}" for mutant in program["mutants"])
    assert {name: number["count"] for name, number in yields.items() if number["count"]} == counted
    assert yields["PSQLI:percent"] == {"mutants": 0, "count": 0}


GUARDED = "def f(x):\n    if not x:\n        raise ValueError(x)\n    return [x]\n"
GUARD = {
    "id": "p1",
    "cwe": "CWE-20",
    "difficulty": "easy",
    "prompt": "Write `f`.",
    "entry_point": "f",
    "secure_code": GUARDED,
    "insecure_code": GUARDED.replace("not x", "False"),
    "functional_tests": "def test_a():\n    assert f(1) == [1]\n",
    "security_tests": "import pytest\ndef test_b():\n    with pytest.raises(ValueError):\n"
    "        f(0)\n",
}


@pytest.fixture
def dated(tmp_path: Path) -> Path:
    """Two programs, of which one names an old CVE."""
    path = tmp_path / "d.json"
    records = [GUARD, {**GUARD, "id": "p2", "prompt": "After CVE-2020-1234."}]
    path.write_text(json.dumps({"samples": records}))
    return path


@pytest.mark.slow
def test_perturb_writes_a_dataset_that_behaves_as_before(dated: Path, tmp_path: Path) -> None:
    out = tmp_path / "y.json"
    args = ("study", "perturb", "--pack", dated, "--workers", 1, "--cve-before", 2024)
    done = arena(*args, "--out", out)
    (record,) = json.loads(out.read_text())["samples"]
    assert record["id"] == "p1"
    assert record["secure_code"] != GUARDED
    assert "left out: p2: names CVE-2020-1234" in done.stderr
    assert "1 programs: 1 " in done.stdout
    refused = CliRunner().invoke(app, [*map(str, args), "--out", "no/such/y.json"])
    assert "--out: no/such/y.json: no such folder" in str(refused.exception)


def test_contamination_tells_pairs_and_old_cves(dated: Path, tmp_path: Path) -> None:
    corpus, empty = tmp_path / "corpus", tmp_path / "empty"
    corpus.mkdir()
    empty.mkdir()
    (corpus / "a.py").write_text(GUARDED)
    args = ("study", "contamination", "--pack", dated, "--corpus")
    done = arena(*args, corpus)
    assert "1.000 (100% of it) p1 secure a.py" in done.stdout
    assert "2 of 2 programs at or above 0.3, against 1 documents" in done.stdout
    assert "p2: names CVE-2020-1234" in done.stdout
    told = json.loads(arena(*args, corpus, "--json").stdout)
    assert told["cves"] == {"p2": ["CVE-2020-1234"]} and len(told["pairs"]) == 4
    nothing = CliRunner().invoke(app, [*map(str, args), str(empty)])
    assert "no document could be read" in str(nothing.exception)


MISTAKES: dict[str, tuple[tuple[str, ...], type[Exception], str]] = {
    "no dataset": (("grade", "reference", "--pack", "none.json"), TaskError, "none.json"),
    "no answers": (("grade", "none", "--pack", "{data}"), ValueError, "none of reference, shipped"),
    "no suites": (("grade", "{folder}", "--pack", "{data}"), ValueError, "neither a folder"),
    "odd mutants": (
        ("grade", "reference", "--pack", "{data}", "--set", "mutants=theirs"),
        ValueError,
        "options.mutants: 'theirs'",
    ),
    "odd classifier": (
        ("grade", "reference", "--pack", "{data}", "--set", "classifier=none"),
        LookupError,
        "behaviour, paper",
    ),
    "odd task": (("study", "mutants", "--pack", "{data}", "--task", "x"), TaskError, "no task 'x'"),
    "no run": (("study", "judge", "nothing"), LookupError, "nothing"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_clear_line(name: str, dataset: Path, tmp_path: Path) -> None:
    arguments, kind, told = MISTAKES[name]
    places = {"{data}": str(dataset), "{folder}": str(tmp_path)}
    done = CliRunner().invoke(app, [places.get(argument, argument) for argument in arguments])
    assert isinstance(done.exception, kind), done.exception
    assert told in str(done.exception) and "\n" not in str(done.exception)


def test_a_dataset_without_a_usable_program_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps([{**BAD, "secure_code": "("}]), "utf-8")
    done = CliRunner().invoke(app, ["grade", "reference", "--pack", str(path)])
    assert isinstance(done.exception, TaskError) and "no usable program" in str(done.exception)
    assert "entry_point" in done.output


def test_the_document_tells_every_state_score_and_category() -> None:
    text = (Path(__file__).parents[3] / "docs/mutation.md").read_text("utf-8")
    table = dict(re.findall(r"^\| `([a-z_-]+)` \| (.+) \|$", text, re.MULTILINE))
    assert {state: table.get(state) for state in State} == MEANING
    assert SCORES.keys() | set(Category) <= table.keys()
