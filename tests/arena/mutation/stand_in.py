"""Small programs, and a runner whose runs are written down: what is tested here is what is made of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from arena.store.model import Attempt, AttemptKey
from arena.tracks.mutation.classify import Category
from arena.tracks.mutation.lines import SuiteLine
from arena.tracks.mutation.results import MutantResult, SampleResult, State
from arena.tracks.mutation.runner.facts import EndOfTest, Read, RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.program import Program, StoredMutant
from arena.tracks.mutation.verdicts import verdict_of

SECURE = "def find(name):\n    return db.execute('SELECT ?', (name,))\n"
INSECURE = "def find(name):\n    return db.execute(f'SELECT {name}')\n"
MUTANT = "def find(name):\n    return db.execute('SELECT ' + name)\n"
SECOND = "def find(name):\n    return db.execute('SELECT %s' % name)\n"
TESTS = "def test_it():\n    assert True\n"


def program(id_: str = "find", **more: Any) -> Program:
    mutants = (StoredMutant("m1", "PSQLI", MUTANT), StoredMutant("m2", "PSQLI", SECOND))
    given = {"difficulty": "easy", "security_tests": TESTS, "mutants": mutants, **more}
    return Program(id_, "CWE-89", "find", SECURE, INSECURE, **given)


def passing(*names: str) -> RunResult:
    tests = tuple(TestOutcome(name, EndOfTest.PASSED) for name in names or ("test_it",))
    return RunResult(Stopped.FINISHED, tests, cpu=0.01, seconds=0.02)


def failing(error: str = "AssertionError: assert 1 == 2", *reads: Read) -> RunResult:
    kind = error.partition(":")[0]
    test = TestOutcome("test_it", EndOfTest.FAILED, error, kind, reads=reads)
    return RunResult(Stopped.FINISHED, (test,), cpu=0.01, seconds=0.02)


def ended(*outcomes: EndOfTest) -> RunResult:
    tests = tuple(TestOutcome(f"test_{n}", outcome) for n, outcome in enumerate(outcomes))
    return RunResult(Stopped.FINISHED, tests)


def stopped(how: Stopped, error: str = "") -> RunResult:
    return RunResult(how, error=error)


@dataclass
class Bed:
    """Gives the run written down for (program, tests), else for the program; counts what it ran."""

    runs: Mapping[Any, RunResult | Exception]
    jobs: list[SuiteJob] = field(default_factory=list)
    lock: Any = field(default_factory=Lock)

    def run(self, job: SuiteJob) -> RunResult:
        with self.lock:
            self.jobs.append(job)
        found = self.runs.get((job.program, job.tests), self.runs.get(job.program))
        if isinstance(found, Exception):
            raise found
        assert found is not None, f"no run is written down for {job.program!r}"
        return found


def mutants(killed: str) -> tuple[MutantResult, ...]:
    """From letters: s f i c o for the categories, - for a survivor."""
    by_letter = {str(category)[0]: category for category in Category}
    return tuple(
        MutantResult(
            id=f"m{number}",
            operator="PSQLI" if number % 2 else "RVALID",
            killed=letter != "-",
            category=by_letter.get(letter),
            reason="because" if letter != "-" else "",
        )
        for number, letter in enumerate(killed)
    )


def sample(id_: str, killed: str = "", *, detects: bool = True, **more: Any) -> SampleResult:
    """A valid suite's result with one mutant for each letter."""
    given: dict[str, Any] = {
        "cwe": "CWE-89",
        "difficulty": "easy",
        "state": State.VALID,
        "secure_passes": True,
        "insecure_fails": detects,
        "mutants": mutants(killed),
        **more,
    }
    return SampleResult(id=id_, **given)


def invalid(id_: str, **more: Any) -> SampleResult:
    """The result of a suite that fails on the secure program."""
    given = {"state": State.FAILS_ON_SECURE, "secure_passes": False, "insecure_fails": True, **more}
    return sample(id_, **given)


def attempt(found: SampleResult, agent: str = "direct") -> Attempt:
    """As the store has it: what the verdict on `found` told, under the prompt and number of `found`."""
    key = AttemptKey(found.id, agent, found.model, found.prompt or "neutral", found.sample)
    if found.health != "ok":
        return Attempt("0", "r", key, "infra", None, found.why)
    verdict = verdict_of(found)
    evidence = json.loads(json.dumps(verdict.evidence))
    return Attempt("0", "r", key, "ok", verdict.label, verdict.reason, evidence=evidence)


def line(name: str, *samples: SampleResult, **more: Any) -> SuiteLine:
    return SuiteLine(name, samples, **{"who": name, **more})
