"""The mutation pack that ships: `arena tasks check mutation` proves all of it, this a part in little time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from arena.tracks.mutation.check import EXPECTED, check_program
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.runner.pool import TestRunner
from arena.tracks.mutation.tasks.difficulty import difficulty_of
from arena.tracks.mutation.tasks.pack import load_programs
from arena.tracks.mutation.tasks.program import Program

PROGRAMS = load_programs("mutation").programs
# SecMutBench's 30 CWEs.
PAPER_CWES = {
    *("CWE-20", "CWE-22", "CWE-74", "CWE-79", "CWE-89", "CWE-94", "CWE-95", "CWE-117", "CWE-209"),
    *("CWE-295", "CWE-306", "CWE-319", "CWE-326", "CWE-327", "CWE-328", "CWE-338", "CWE-352"),
    *("CWE-400", "CWE-434", "CWE-502", "CWE-601", "CWE-611", "CWE-639", "CWE-643", "CWE-732"),
    *("CWE-798", "CWE-862", "CWE-863", "CWE-915", "CWE-918"),
}
GIVEN_AWAY = re.compile(r"vulnerab|insecure|exploit|attacker", re.IGNORECASE)


@pytest.fixture(scope="module")
def runner() -> Iterator[TestRunner]:
    with TestRunner(workers=2) as made:
        yield made


def test_its_extent() -> None:
    counted = Counter(program.cwe for program in PROGRAMS)
    assert set(counted) == PAPER_CWES and min(counted.values()) >= 4
    assert len(PROGRAMS) >= 150
    assert {program.difficulty for program in PROGRAMS} == {"easy", "medium", "hard"}


@pytest.mark.slow
def test_what_each_says() -> None:
    for program in PROGRAMS:
        assert program.difficulty == difficulty_of(program.secure), program.id
        assert program.title and program.instruction.strip(), program.id
        assert program.entry_point.split(".")[0] in program.secure, program.id
        for text in (program.instruction, program.secure, program.insecure):
            assert not GIVEN_AWAY.search(text), program.id


@pytest.mark.rotating(30)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_its_suites_end_as_due(runner: TestRunner, program: Program) -> None:
    for suite, version, due in EXPECTED:
        run = runner.run(SuiteJob(getattr(program, version), getattr(program, suite)))
        assert run.has_passed == due, (suite, version)


@pytest.mark.nightly("whole programs of the pack")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_it_holds_entirely(runner: TestRunner, program: Program) -> None:
    """Its mutants and their proofs too."""
    checked = check_program(program, Prover(runner), runner)
    assert checked.ok, checked
