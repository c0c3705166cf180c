"""`scripts/same-results` names each row that is no longer what was written down, and its commands exist."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.test_docs import parse

ROOT = Path(__file__).parents[1]
SAME = ROOT / "scripts/same"
PARTS = tomllib.loads((SAME / "parts.toml").read_text("utf-8"))
STAND_IN = """
[json]
about = "samples with mutants and tests"
minutes = 0
commands = ["cat {data}/answer.json"]
rows = [
    { flat = "summary" },
    { path = "samples mutants", key = "^id id", value = "killed category" },
    { path = "samples", key = "id", value = "state", tally = "tests id verdict", without = "state=missing" },
]

[lines]
about = "one JSON document a line, in the file that is asked for"
minutes = 0
commands = ["echo not this", "cp {data}/answer.jsonl {out}"]
form = "lines"
rows = [{ path = "lines", key = "fix", value = "candidates" }]

[tables]
about = "tables in Markdown"
minutes = 0
commands = ["cat {data}/answer.md"]
form = "tables"
rows = [{ path = "rows", key = "table row", value = "cells" }]

[silent]
about = "a command that says nothing"
minutes = 0
commands = ["false"]
rows = [{ path = "rows", key = "id", value = "label" }]
"""
ANSWERS = {
    "answer.json": """{"summary": {"ms": 33.3333333333, "kills": {"crash": 1}}, "seconds": 5, "samples": [
        {"id": "p", "state": "valid", "mutants": [{"id": "m1", "killed": true, "category": "crash"},
            {"id": "m2", "killed": false, "category": ""}, {"id": "m2", "killed": false, "category": null}],
         "tests": [{"id": "a", "verdict": "pass"}, {"id": "c", "verdict": "fail"}, {"id": "b", "verdict": "fail"}]},
        {"id": "q", "state": "missing", "mutants": [], "tests": []}]}""",
    "answer.jsonl": f'{{"fix": "{"a" * 40}", "candidates": ["{"b" * 40}", "{"c" * 40}"]}}\n',
    "answer.md": "### all\n\n| agent | n | % |\n| --- | ---: | ---: |\n| gold | 2 | 50.0 \\[1-99\\] |\n\nRates.\n",
}
ROWS = {
    "json": "p\tvalid\tpass 1\tfail: b c\np/m1\tTrue\tcrash\np/m2\tFalse\t-\np/m2 #2\tFalse\t-\n"
    "summary.kills.crash\t1\nsummary.ms\t33.3333\n",
    "lines": f"{'a' * 10}\t{'b' * 10} {'c' * 10}\n",
    "tables": "all/agent\tn | %\nall/gold\t2 | 50.0 \\[1-99\\]\n",
}
Same = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def same(tmp_path: Path) -> Same:
    """Run the script over stand-ins, whose answers are files of the test's folder."""
    for name, text in {**ANSWERS, "parts.toml": STAND_IN}.items():
        (tmp_path / name).write_text(text, "utf-8")
    given = ["--data", str(tmp_path), "--parts", str(tmp_path / "parts.toml")]

    def run(verb: str, *parts: str) -> subprocess.CompletedProcess[str]:
        argv = [
            sys.executable,
            str(SAME / "results.py"),
            verb,
            str(tmp_path / "kept"),
            *parts,
            *given,
        ]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)

    return run


@pytest.mark.slow
def test_what_is_recorded_is_the_same(same: Same, tmp_path: Path) -> None:
    assert same("record", *ROWS).returncode == 0
    assert {name: (tmp_path / f"kept/{name}.tsv").read_text("utf-8") for name in ROWS} == ROWS
    done = same("compare", *ROWS)
    assert (done.returncode, done.stdout.count(": same\n")) == (0, 3), done.stdout


@pytest.mark.slow
def test_each_row_that_differs_is_named(same: Same, tmp_path: Path) -> None:
    same("record", "json", "lines")
    kept = tmp_path / "kept/json.tsv"
    old = (
        kept.read_text("utf-8").replace("True\tcrash", "True\tsemantic").replace("p/m2\t", "p/m3\t")
    )
    kept.write_text(old, "utf-8")
    done = same("compare", "json", "lines")
    assert done.returncode == 1
    assert done.stdout.splitlines()[:3] == [
        "json: p/m1: True\tsemantic -> True\tcrash",
        "json: p/m2: (no row) -> False\t-",
        "json: p/m3: False\t- -> (no row)",
    ]
    assert ": 3 rows differ\n" in done.stdout
    assert ": same\n" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "answer", "said"),
    [
        ("silent", "", "silent: not taken: false: status 1: "),
        ("json", '{"samples": []}', "KeyError('summary')"),
        ("json", "Traceback", "json: not taken: the answer is not as parts.toml says: "),
        ("tables", "Nothing.", "tables: not taken: no row: cat "),
        ("other", "", "unknown: other; parts: json, lines, tables, silent"),
    ],
)
def test_what_cannot_be_taken_is_no_difference(
    same: Same, tmp_path: Path, part: str, answer: str, said: str
) -> None:
    for name in ANSWERS:
        (tmp_path / name).write_text(answer, "utf-8")
    done = same("record", part)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "kept").exists()


@pytest.mark.slow
def test_a_part_that_nobody_recorded_cannot_be_compared(same: Same) -> None:
    done = same("compare", "lines")
    assert (done.returncode, done.stdout) == (2, "")
    assert "lines.tsv is not there" in done.stderr


NAMES = {"data": ".", "home": ".", "out": "out.json", "item": ".", "name": "sql"}
COMMANDS = [
    (name, command.format(**NAMES, workers=0, variant="b-szz"))
    for name, part in PARTS.items()
    for command in part["commands"]
]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_commands_parse(name: str, command: str) -> None:
    program, *args = shlex.split(command)
    assert program == "arena"
    assert parse(args)


@pytest.mark.parametrize("name", sorted(path.stem for path in SAME.glob("*.tsv")))
def test_every_part_is_recorded_in_order_and_without_places(name: str) -> None:
    text = (SAME / f"{name}.tsv").read_text("utf-8")
    keys = [line.partition("\t")[0] for line in text.splitlines()]
    assert keys == sorted(set(keys))
    assert "/tmp" not in text
    assert str(ROOT) not in text
    assert "infra" not in {cell for line in text.splitlines() for cell in line.split("\t")[1:]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "slashes", "rows"), [("mutants", 2, 1869), ("detectors", 2, 1247)]
)
def test_nothing_is_missing(name: str, slashes: int, rows: int) -> None:
    lines = (SAME / f"{name}.tsv").read_text("utf-8").splitlines()
    assert sum(line.partition("\t")[0].count("/") == slashes for line in lines) == rows
