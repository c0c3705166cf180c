"""The commands as a user meets them: the contract's JSON, exit codes, and mistakes in one line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena.cli.mutation import app
from typer.testing import CliRunner, Result

from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.metrics import SCORES
from arena.tracks.mutation.results import MEANING, ResultError, State
from tasks.loader import TaskError

SECURE = """
import hashlib

def digest(data):
    return hashlib.sha256(data).hexdigest()
"""
SUITE = """
import hashlib

def test_strong():
    digest(b"x")
    assert not hashlib.weak_algorithm_used, "a weak algorithm was used"

def test_same():
    assert digest(b"x") == digest(b"x")
"""
BROKEN = SECURE.replace("hashlib.sha256(data)", "missing(data)")
LONGER = SECURE.replace("sha256", "sha512")
RECORD: dict[str, Any] = {
    "id": "hash",
    "cwe": "CWE-327",
    "difficulty": "easy",
    "prompt": "Hash data.",
    "entry_point": "digest",
    "secure_code": SECURE,
    "insecure_code": SECURE.replace("sha256", "md5"),
    "functional_tests": "def test_f():\n    assert digest(b'x')\n",
    "security_tests": SUITE,
    "mutants": [
        {"id": "weak", "operator": "WEAKCRYPTO", "mutated_code": SECURE.replace("sha256", "sha1")},
        {"id": "broken", "operator": "WEAKCRYPTO", "mutated_code": BROKEN},
        {"id": "equal", "operator": "WEAKCRYPTO", "mutated_code": LONGER},
    ],
}
SECOND = RECORD | {
    "id": "untested",
    "security_tests": "def test_f():\n    assert not digest(b'')\n",
}
BAD = {"id": "bad", "cwe": "CWE-327"}


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
def reference(dataset: Path, folder: Path) -> Path:
    """The result of the reference tests."""
    out = folder / "reference.json"
    score(dataset, out, "--name", "reference row")
    return out


def run(*arguments: object, status: int = 0) -> Result:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == status, (done.output, done.exception)
    return done


def mistake(*arguments: object) -> BaseException:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exception is not None
    assert "\n" not in str(done.exception)
    return done.exception


def score(dataset: Path, out: Path, *more: object) -> dict[str, Any]:
    run(
        "score",
        "--dataset",
        dataset,
        "--classifier",
        "paper",
        "--jobs",
        1,
        "--json",
        out,
        "--trivial",
        0,
        *more,
    )
    found: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return found


@pytest.mark.slow
def test_trivial_suites_are_rows_of_every_result(dataset: Path, folder: Path) -> None:
    """On as many programs as asked for; what is weak by wording, such as the source, earns nothing."""
    out = folder / "rows.json"
    arguments = ("score", "--dataset", dataset, "--jobs", 1, "--json", out, "--trivial")
    run(*arguments, 1)
    found = json.loads(out.read_text("utf-8"))
    assert {"always-fails", "empty", "random", "source-equality"} <= set(found["trivial"])
    assert {len(row) for row in found["trivial"].values()} == {1}
    rows = found["trivial_summaries"]
    assert rows["source-equality"]["ms"] == 100.0
    assert all(not row["eff_sms"] for row in rows.values()), rows
    run(*arguments, 0)
    assert json.loads(out.read_text("utf-8"))["trivial"] == {}


def test_programs_for_the_rows_are_spread() -> None:
    from arena.cli.mutation_session import spread

    programs: Any = list(range(10))
    assert [list(spread(programs, most)) for most in (0, 1, 3, 99)] == [
        [],
        [0],
        [0, 3, 6],
        programs,
    ]


@pytest.mark.slow
def test_score_writes_the_contract(reference: Path) -> None:
    found = json.loads(reference.read_text("utf-8"))
    assert found["runs"] > 0
    summary = found["summary"]
    assert summary["kills"] == {
        "semantic": 1,
        "functional": 0,
        "incidental": 0,
        "crash": 1,
        "other": 0,
    }
    assert (summary["spr"], summary["vd"]) == (50.0, 50.0)
    assert summary["ms"] == pytest.approx(200 / 3) and summary["sms"] == pytest.approx(100 / 3)
    assert summary["eff_sms"] == pytest.approx(100 / 6)
    assert summary["states"] == {"valid": 1, "fails-on-secure": 1}
    first, second = found["samples"]
    assert (first["id"], first["secure_passes"], first["insecure_fails"]) == ("hash", True, True)
    ended = {m["id"]: (m["killed"], m["category"]) for m in first["mutants"]}
    assert ended == {
        "weak": (True, "semantic"),
        "broken": (True, "crash"),
        "equal": (False, None),
    }
    assert second["state"] == "fails-on-secure" and second["mutants"] == []
    assert [problem for problem in found["problems"] if "bad" in problem]


@pytest.mark.slow
def test_a_second_score_is_the_same_and_runs_nothing(
    dataset: Path, reference: Path, tmp_path: Path
) -> None:
    first = json.loads(reference.read_text("utf-8"))
    second = score(dataset, tmp_path / "two.json")
    assert second["runs"] == 0
    assert second["samples"] == first["samples"] and second["summary"] == first["summary"]


@pytest.mark.slow
def test_the_same_without_what_is_stored(
    dataset: Path, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = json.loads(reference.read_text("utf-8"))
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "other"))
    second = score(dataset, tmp_path / "two.json", "--limit", 1)
    assert second["runs"] == 5 and second["samples"] == first["samples"][:1]


SUITES = {
    "hash": {"tests": "import nonsense_of_the_model\n"},
    "untested": {"reply": "Sorry."},
}


@pytest.mark.slow
def test_suites_of_a_file_and_their_states(dataset: Path, tmp_path: Path) -> None:
    path = tmp_path / "suites.jsonl"
    path.write_text("".join(json.dumps({"id": k, **v}) + "\n" for k, v in SUITES.items()), "utf-8")
    found = score(dataset, tmp_path / "out.json", "--tests", path)
    assert found["summary"]["states"] == {"no-code": 1, "imports-what-is-not-there": 1}
    assert (found["summary"]["spr"], found["summary"]["eff_sms"]) == (0.0, 0.0)
    assert found["summary"]["ms"] is None


@pytest.mark.slow
def test_report_compare_show_and_baseline(dataset: Path, reference: Path, tmp_path: Path) -> None:
    out, scan, html = reference, tmp_path / "bandit.json", tmp_path / "page.html"
    done = run("baseline", "--dataset", dataset, "--json", scan)
    assert "2 of 2 insecure versions reported" in done.output
    shown = run("report", out, scan, "--table", 4, "--table", 7).output
    assert "reference row" in shown and "bandit" in shown and "CWE-327" in shown
    assert "Table 5" not in shown
    told = json.loads(run("report", out, scan, "--json").stdout)
    assert [table["number"] for table in told] == [4, 5, 6, 7, 8]
    assert run("report", out, "--csv").stdout.startswith("Table 4,")
    run("report", out, scan, "--html", html)
    page = html.read_text("utf-8")
    assert "<svg" in page and "<script" not in page and "reference row" in page
    compared = json.loads(run("compare", out, out, "--json").stdout)
    assert compared["differences"]["sms"]["value"] == 0.0 and compared["not_alike"] == []
    evidence = run("show", out, "hash", "--mutant", "weak").output
    assert "a weak algorithm was used" in evidence and "broken" not in evidence


def test_import_makes_a_pack_that_scores_the_same(
    dataset: Path, reference: Path, tmp_path: Path
) -> None:
    done = run("import", dataset, "--out", tmp_path / "pack", "--licence", "MIT")
    assert "2 programs read, 1 records left out" in done.output
    one = json.loads(reference.read_text("utf-8"))
    two = score(tmp_path / "pack", tmp_path / "two.json")
    assert two["runs"] == 0, "the pack's programs are the dataset's, byte by byte"
    assert two["summary"]["kills"] == one["summary"]["kills"]
    assert [sample["mutants"] for sample in two["samples"]] == [
        sample["mutants"] for sample in one["samples"]
    ]


def test_operators_are_listed() -> None:
    found = json.loads(run("operators", "--json").stdout)
    hashing = next(operator for operator in found if operator["name"] == "WEAKCRYPTO")
    assert "CWE-327" in hashing["cwes"] and "md5" in hashing["terms"]
    assert {"variant", "before", "after"} <= hashing["examples"][0].keys()
    assert "WEAKCRYPTO" in run("operators").output


@pytest.mark.slow
def test_mutate_writes_the_contract(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "mutants.json"
    run("mutate", "--dataset", dataset, "--limit", 1, "--json", out)
    (program,) = json.loads(out.read_text("utf-8"))["samples"]
    assert program["id"] == "hash" and program["mutants"]
    for mutant in program["mutants"]:
        assert {"id", "operator", "variant", "cwe", "code", "oracle"} <= mutant.keys()
        assert mutant["oracle"] and mutant["cwe"] == "CWE-327"
        compile(mutant["code"], "<mutant>", "exec")


MISTAKES: dict[str, tuple[tuple[str, ...], type[Exception], str]] = {
    "no dataset": (("score", "--dataset", "none.json"), TaskError, "none.json"),
    "no tests": (("score", "--dataset", "{data}", "--tests", "none"), ValueError, "--tests: none"),
    "odd mutants": (
        ("score", "--dataset", "{data}", "--mutants", "theirs"),
        ValueError,
        "--mutants: 'theirs'",
    ),
    "odd classifier": (
        ("score", "--dataset", "{data}", "--classifier", "none"),
        LookupError,
        "behaviour, paper",
    ),
    "no result": (("report", "none.json"), ResultError, "none.json: No such file"),
    "no such table": (("report", "{result}", "--table", "9"), ValueError, "--table: 9"),
    "a dataset for a result": (("report", "{data}"), ResultError, "samples.0"),
    "no such program": (("show", "{result}", "nobody"), ValueError, "no suite for the program"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_clear_line(name: str, dataset: Path, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    result.write_text(json.dumps({"samples": []}), "utf-8")
    arguments, kind, told = MISTAKES[name]
    places = {"{data}": str(dataset), "{result}": str(result)}
    error = mistake(*(places.get(argument, argument) for argument in arguments))
    assert isinstance(error, kind) and told in str(error)


def test_a_dataset_without_a_usable_program_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps([BAD]), "utf-8")
    done = run("score", "--dataset", path, status=2)
    assert "secure_code" in done.output or "entry_point" in done.output


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; import arena.cli.mutation; "
        "print([m for m in ('libcst', 'pydantic', 'sqlalchemy', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_document_tells_every_state_score_and_category() -> None:
    text = (Path(__file__).parents[3] / "docs/mutation.md").read_text("utf-8")
    table = dict(re.findall(r"^\| `([a-z_-]+)` \| (.+) \|$", text, re.MULTILINE))
    assert {state: table.get(state) for state in State} == MEANING
    assert SCORES.keys() | set(Category) <= table.keys()
