"""Suites that know nothing of security earn nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.tracks.mutation.classify import Category, Kill, KilledMutant
from arena.tracks.mutation.classify.behaviour import BehaviourClassifier
from arena.tracks.mutation.labels import FUNCTIONAL, TRIVIALS
from arena.tracks.mutation.mutants import mutants_of
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.trivial import suite

PROGRAMS = (
    Program(
        "greet",
        "CWE-79",
        "greet",
        "import html\n\ndef greet(name):\n    return '<p>' + html.escape(name) + '</p>'\n",
        "",
        functional_tests="def test_it():\n    assert greet('bob') == '<p>bob</p>'\n",
    ),
    Program(
        "find",
        "CWE-89",
        "find",
        "def find(name):\n    return db.execute('SELECT * FROM users WHERE name = ?', (name,))\n",
        "",
    ),
    Program(
        "digest",
        "CWE-328",
        "digest",
        "import hashlib\n\ndef digest(text):\n    return hashlib.sha256(text.encode()).hexdigest()\n",
        "",
    ),
)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=1) as made:
        yield made


def test_the_functional_suite_is_the_program_s_own(runner: TestRunner) -> None:
    greet, find, _ = PROGRAMS
    assert suite(FUNCTIONAL, greet, lambda: runner) == greet.functional_tests
    assert suite(FUNCTIONAL, find, lambda: runner) == ""  # it came with none, and cannot be made


@pytest.mark.rotating(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_no_semantic_kill(runner: TestRunner, program: Program) -> None:
    classifier = BehaviourClassifier()
    made = {name: suite(name, program, lambda: runner) for name in TRIVIALS if name != FUNCTIONAL}
    assert all(made.values())
    killed = 0
    for mutant in mutants_of(program)[:4]:
        for name, tests in made.items():
            secure, run = (
                runner.run(SuiteJob(program.secure, tests)),
                runner.run(SuiteJob(mutant.code, tests)),
            )
            assert secure.has_passed or name in ("always-fails", "random"), (name, secure)
            if not secure.has_passed or run.has_passed:
                continue
            killed += 1
            kill = Kill(
                program,
                KilledMutant(mutant.id, mutant.operator, mutant.code),
                tests,
                secure,
                run,
                runner,
            )
            category, reason = classifier.classify(kill)
            assert category is not Category.SEMANTIC, (name, mutant.code, reason)
    assert killed  # source equality does kill
