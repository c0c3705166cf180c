"""What gates a program of a pack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.tracks.mutation.check import check_program
from arena.tracks.mutation.counting import DOCUMENTED
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.proven import prove_all
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program, Survivor
from harness.grade.ports import MemoryCache
from tasks.loader import TaskError

pytestmark = pytest.mark.rotating(3)

GOOD = Program(
    "greet",
    "CWE-79",
    "greet",
    "import html\n\ndef greet(name):\n    return '<p>' + html.escape(name) + '</p>'\n",
    "def greet(name):\n    return '<p>' + name + '</p>'\n",
    difficulty="easy",
    functional_tests="def test_it():\n    assert greet('bob') == '<p>bob</p>'\n",
    security_tests="def test_it():\n    shown = greet('<b \\'\">')\n"
    "    assert '<b' not in shown and '\"' not in shown and \"'\" not in shown\n",
)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as made:
        yield made


def problems(runner: TestRunner, program: Program) -> list[str]:
    return [": ".join(told) for told in check_program(program, Prover(runner), runner).problems]


def test_a_good_program(runner: TestRunner) -> None:
    checked = check_program(GOOD, Prover(runner), runner)
    assert checked.ok and checked.facts["mutants"] == checked.facts["killed"] >= 2, checked


@pytest.mark.rotating(2)
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"difficulty": "hard"}, "difficulty: hard is recorded, easy is computed"),
        ({"functional_tests": "def test_it():\n    assert greet('&') == '&'\n"}, "fail on secure"),
        ({"insecure": GOOD.secure}, "security_tests pass on insecure"),
        (
            {"security_tests": "def test_it():\n    assert greet('<b') == '<p><b</p>'\n"},
            "fail on secure",
        ),
    ],
)
def test_a_problem_is_named(runner: TestRunner, change: dict[str, str], said: str) -> None:
    found = problems(runner, replace(GOOD, **change))
    assert any(said in problem for problem in found), found


def test_a_survivor_is_documented_or_a_problem(runner: TestRunner) -> None:
    tests = "def test_it():\n    assert '<b' not in greet('<b')\n"
    blind = replace(GOOD, security_tests=tests)
    survivors = [p.split(": ")[0] for p in problems(runner, blind) if ": survives: " in p]
    assert survivors
    known = tuple(Survivor(name, "nothing depends on quotes") for name in survivors)
    checked = check_program(replace(blind, survivors=known), Prover(runner), runner)
    assert checked.facts["left"][DOCUMENTED] >= len(known) and checked.facts["mutants"], checked
    assert checked.ok, checked


def test_a_program_without_a_mutant_that_counts_is_a_problem(runner: TestRunner) -> None:
    other = replace(GOOD, cwe="CWE-9999")
    assert any("none counts" in problem for problem in problems(runner, other))


def test_the_insecure_version_stands_in_where_no_mutant_counts(runner: TestRunner) -> None:
    """No operator knows how this program reads what it is given."""
    odd = replace(
        GOOD,
        cwe="CWE-502",
        entry_point="load",
        secure="def load(data):\n    return dict([data.split('=')])\n",
        insecure="import pickle\n\ndef load(data):\n    return pickle.loads(data)"
        " if isinstance(data, bytes) else dict([data.split('=')])\n",
        functional_tests="def test_it():\n    assert load('a=b') == {'a': 'b'}\n",
        security_tests="import pickle\ndef test_it():\n    with pytest.raises(Exception):\n"
        "        load(pickle.dumps(1))\n",
    )
    counting = [m for m in prove_all(odd, Prover(runner), MemoryCache()) if not m.left]
    assert [(m.mutant.variant, m.mutant.code) for m in counting] == [("insecure", odd.insecure)]
    assert check_program(odd, Prover(runner), runner).facts["killed"] == 1


@pytest.mark.parametrize(
    "text", ['[[survivor]]\nvariant = "x:y"\n', "", '[[survivor]]\nreason = "x"\n']
)
def test_a_malformed_document_of_survivors_is_told(tmp_path: Path, text: str) -> None:
    from arena.tracks.mutation.tasks.pack import load_pack, write_pack
    from arena.tracks.mutation.tasks.secmutbench import Dataset

    known: Any = (Survivor("RVALID:unescaped", 'it is "no" weakness', "a\nb"),)
    write_pack(tmp_path / "p", Dataset("x", (replace(GOOD, survivors=known),), ()), "x", "1", "MIT")
    assert load_pack(tmp_path / "p").programs[0].survivors == known
    (tmp_path / "p/greet/survivors.toml").write_text(text)
    with pytest.raises(TaskError, match="survivor"):
        load_pack(tmp_path / "p")


@pytest.mark.nightly("the product end to end: its parts have tests by day")
@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    """`arena tasks check` takes packs of this track; its exit code tells whether all programs hold."""
    from typer.testing import CliRunner

    from arena.cli.main import app
    from arena.tracks.mutation.tasks.pack import write_pack
    from arena.tracks.mutation.tasks.secmutbench import Dataset

    bad = replace(GOOD, id="bad", insecure=GOOD.secure)
    folder = tmp_path / "pack"
    assert not write_pack(folder, Dataset("x", (GOOD, bad), ()), "x", "1", "MIT")
    shown = CliRunner().invoke(app, ["tasks", "check", str(folder), "--workers", "1"])
    assert shown.exit_code == 1
    assert "ok  greet" in shown.output and "BAD bad" in shown.output
    only = CliRunner().invoke(app, ["tasks", "check", str(folder), "--task", "greet"])
    assert only.exit_code == 0 and "bad" not in only.output
    unknown = CliRunner().invoke(app, ["tasks", "check", str(folder), "--task", "none"])
    assert isinstance(unknown.exception, TaskError)
