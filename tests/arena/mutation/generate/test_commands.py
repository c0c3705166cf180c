"""`arena mutation generate|perturb|audit|judge` as a user meets them, with scripted models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from arena.cli.mutation_generate import COMMANDS
from typer.testing import CliRunner, Result

from arena.cli.common import MISTAKE, OK, UNLABELLED
from arena.store.store import Store

SECURE = "def f(x):\n    if not x:\n        raise ValueError(x)\n    return [x]\n"
RECORD = {
    "id": "p1",
    "cwe": "CWE-20",
    "difficulty": "easy",
    "prompt": "Write `f`.",
    "entry_point": "f",
    "secure_code": SECURE,
    "insecure_code": SECURE.replace("not x", "False"),
    "functional_tests": "def test_a():\n    assert f(1) == [1]\n",
    "security_tests": "import pytest\ndef test_b():\n    with pytest.raises(ValueError):\n        f(0)\n",
}
REPLY = "```python\ndef test_c():\n    assert f(1)\n```"


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    records = [RECORD, {**RECORD, "id": "p2", "prompt": "After CVE-2020-1234."}]
    (tmp_path / "d.json").write_text(json.dumps({"samples": records}))
    (tmp_path / "s.toml").write_text(f"then = 'repeat'\n[[turns]]\ntext = '''{REPLY}'''\n")
    (tmp_path / "bad.toml").write_text("then = 'repeat'\n[[turns]]\nfault = '401'\n")
    return "d.json"


def run(*args: object) -> Result:
    app = typer.Typer()
    for name, (function, help_) in COMMANDS.items():
        app.command(name, help=help_)(function)
    return CliRunner().invoke(app, [str(arg) for arg in args])


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_generate_writes_rows_and_tells_what_they_cost(dataset: str) -> None:
    args = ("generate", "--dataset", dataset, "--model", "script:s.toml", "--out", "o.jsonl")
    done = run(*args, "--samples", 2)
    assert done.exit_code == OK, done.output
    assert [(row["id"], row["sample"], row["state"]) for row in rows("o.jsonl")] == [
        ("p1", 0, "ok"), ("p1", 1, "ok"), ("p2", 0, "ok"), ("p2", 1, "ok"),
    ]  # fmt: skip
    assert "o.jsonl: 4 replies: 4 ok; 4 calls, " in done.stdout
    again = run(*args, "--samples", 2, "--json")
    told = json.loads(again.stdout.splitlines()[-1])
    assert (told["rows"], told["usage"], told["missing"]) == (4, {}, [])


def test_a_model_that_is_not_there_is_told_and_ends_with_3(dataset: str) -> None:
    done = run("generate", "--dataset", dataset, "--model", "script:bad.toml", "--out", "o.jsonl")
    assert done.exit_code == UNLABELLED
    assert "the key is wrong" in done.stderr
    assert "the same command goes on" in done.stderr
    assert rows("o.jsonl") == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--model", "script:s.toml", "--out", "no/o.jsonl"), "--out: no/o.jsonl: no such folder"),
        (("--model", "script:none.toml", "--out", "o.jsonl"), "none.toml: No such file"),
        (("--model", "script:s.toml", "--out", "o.jsonl", "--prompt", "x"), "unknown prompt 'x'"),
        (("--model", "script:s.toml", "--out", "o.jsonl", "--pin", "x=1"), "--pin: 'x=1'"),
    ],
)
def test_mistakes_raise_one_line(dataset: str, args: tuple[str, ...], said: str) -> None:
    done = run("generate", "--dataset", dataset, *args)
    assert isinstance(done.exception, ValueError | LookupError)
    assert said in str(done.exception)
    assert "\n" not in str(done.exception)


@pytest.mark.slow
def test_perturb_writes_a_dataset_that_behaves_as_before(dataset: str) -> None:
    done = run(
        "perturb", "--dataset", dataset, "--out", "y.json", "--jobs", 1, "--cve-before", 2024
    )
    assert done.exit_code == OK, done.output
    (record,) = json.loads(Path("y.json").read_text())["samples"]
    assert record["id"] == "p1"
    assert record["secure_code"] != SECURE
    assert "p2: left out: CVE-2020-1234" in done.stderr
    assert "1 programs: 1 " in done.stdout


def test_audit_tells_pairs_and_old_cves(dataset: str) -> None:
    Path("corpus").mkdir()
    Path("corpus/a.py").write_text(SECURE)
    done = run("audit", "--dataset", dataset, "--corpus", "corpus")
    assert done.exit_code == OK
    assert "1.000 (100% of it) p1 secure a.py" in done.stdout
    assert "2 of 2 programs at or above 0.3, against 1 documents" in done.stdout
    assert "p2: names CVE-2020-1234" in done.stdout
    told = json.loads(run("audit", "--dataset", dataset, "--corpus", "corpus", "--json").stdout)
    assert told["cves"] == {"p2": ["CVE-2020-1234"]}
    assert len(told["pairs"]) == 4
    Path("empty").mkdir()
    assert run("audit", "--dataset", dataset, "--corpus", "empty").exit_code == MISTAKE


def test_judge_tells_categories_and_agreement(dataset: str, tmp_path: Path) -> None:
    killed = {"id": "m1", "operator": "X", "killed": True, "category": "crash", "reason": "boom"}
    sample = {"id": "p1", "secure_passes": True, "insecure_fails": True, "mutants": [killed]}
    Path("r.json").write_text(json.dumps({"classifier": "paper", "samples": [sample]}))
    Path("l.csv").write_text("id,category\np1/m1,semantic\n")
    Path("j.toml").write_text("then = 'repeat'\n[[turns]]\ntext = 'crash'\n")
    args = ("judge", "r.json", "--model", "script:j.toml", "--labels", "l.csv")
    done = run(*args)
    assert done.exit_code == OK, done.output
    assert "judged: 1 crash; 0 unparsed; 1 calls" in done.stdout
    assert "judge and paper: kappa undefined, 1 of 1 alike" in done.stdout
    assert "judge and labels: kappa 0.000, 0 of 1 alike" in done.stdout
    told = json.loads(run(*args, "--json").stdout.splitlines()[-1])
    assert told["categories"] == {"p1/m1": "crash"}
    assert told["usage"] == {}
    assert Store(tmp_path / "home").folder.is_dir()
