"""Scoring: what becomes of a suite, what is run and what is not, and what is kept."""

from __future__ import annotations

import dataclasses
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from arena.store.store import Store
from arena.tracks.mutation import version
from arena.tracks.mutation.classify import Category, Kill
from arena.tracks.mutation.metrics import measure, states
from arena.tracks.mutation.results import SampleResult, State
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped
from arena.tracks.mutation.runner.job import RunLimits
from arena.tracks.mutation.score import SuiteScorer, Unit, limits_text, stored_mutants
from arena.tracks.pool import each
from harness.grade.ports import MemoryCache
from tests.arena.mutation.stand_in import (
    INSECURE,
    MUTANT,
    SECOND,
    SECURE,
    TESTS,
    Bed,
    ended,
    failing,
    passing,
    program,
    stopped,
)


class Always:
    """A classifier that says what it is told to, and keeps what it was asked."""

    def __init__(self, category: Category = Category.SEMANTIC) -> None:
        self.category = category
        self.kills: list[Kill] = []

    def classify(self, kill: Kill) -> tuple[Category, str]:
        self.kills.append(kill)
        return self.category, "so it was told"


class Fault(RuntimeError):
    pass


RUNS = {SECURE: passing(), INSECURE: failing(), MUTANT: failing(), SECOND: passing()}


def scorer(
    runner: Bed, cache: Any = None, classifier: Any = None, named: str = "always"
) -> SuiteScorer:
    return SuiteScorer(
        runner, classifier or Always(), named, stored_mutants, cache or MemoryCache(), (Fault,)
    )


def scored(runs: dict[Any, Any], source: str = TESTS) -> SampleResult:
    return scorer(Bed(runs)).score(Unit(program(), source))


def test_a_valid_suite_meets_every_mutant() -> None:
    classifier = Always()
    runner = Bed(RUNS)
    found = scorer(runner, classifier=classifier).score(Unit(program(), TESTS))
    assert (found.state, found.secure_passes, found.insecure_fails) == (State.VALID, True, True)
    killed, survivor = found.mutants
    assert (killed.id, killed.killed, killed.category) == ("m1", True, Category.SEMANTIC)
    assert "so it was told" in killed.reason and "assert 1 == 2" in killed.reason
    assert (survivor.id, survivor.killed, survivor.category) == ("m2", False, None)
    (kill,) = classifier.kills
    assert kill.mutant.code == MUTANT and kill.secure.has_passed and not kill.run.has_passed
    assert [job.program for job in runner.jobs] == [SECURE, INSECURE, MUTANT, SECOND]


FLOOR = "def test_floor():\n    assert True\n"


def test_the_functional_suite_s_kills_are_told_beside() -> None:
    runner = Bed({**RUNS, (SECOND, FLOOR): failing(), (MUTANT, FLOOR): passing()})
    unit = Unit(program(functional_tests=FLOOR), TESTS)
    found = scorer(runner).score(unit)
    assert [m.floor for m in found.mutants] == [False, True]
    again = len(runner.jobs)
    cache = MemoryCache()
    scorer(runner, cache).score(unit)
    made = len(runner.jobs)
    scorer(runner, cache).score(dataclasses.replace(unit, source=TESTS + "#"))
    assert len(runner.jobs) - made < made - again  # the floor is known by then


def test_it_is_its_own_floor() -> None:
    found = scorer(Bed(RUNS)).score(Unit(program(functional_tests=FLOOR), FLOOR))
    assert [m.floor for m in found.mutants] == [True, False]


def test_without_a_valid_functional_suite_there_is_no_floor() -> None:
    runner = Bed({**RUNS, (SECURE, FLOOR): failing()})
    for own in ("", FLOOR):
        found = scorer(runner).score(Unit(program(functional_tests=own), TESTS))
        assert found.state is State.VALID and {m.floor for m in found.mutants} == {None}


STATES: dict[str, tuple[RunResult, State]] = {
    "fails": (failing(), State.FAILS_ON_SECURE),
    "error": (ended(EndOfTest.ERROR), State.FAILS_ON_SECURE),
    "passes and fails": (ended(EndOfTest.PASSED, EndOfTest.FAILED), State.FAILS_ON_SECURE),
    "all skipped": (ended(EndOfTest.SKIPPED, EndOfTest.SKIPPED), State.PASSES_NOTHING),
    "expected failures only": (ended(EndOfTest.XFAILED), State.PASSES_NOTHING),
    "passed though to fail": (ended(EndOfTest.PASSED, EndOfTest.XPASSED), State.PASSES_NOTHING),
    "skips beside passes": (ended(EndOfTest.PASSED, EndOfTest.SKIPPED), State.VALID),
    "no test": (RunResult(Stopped.FINISHED), State.NO_TEST),
    "none collected": (stopped(Stopped.UNCOLLECTED, "NoTests: none"), State.NO_TEST),
    "module skips": (stopped(Stopped.UNCOLLECTED, "Skipped: x"), State.PASSES_NOTHING),
    "syntax": (stopped(Stopped.UNCOLLECTED, "SyntaxError: bad"), State.NOT_COMPILED),
    "indentation": (stopped(Stopped.UNCOLLECTED, "IndentationError: bad"), State.NOT_COMPILED),
    "import": (stopped(Stopped.UNCOLLECTED, "ModuleNotFoundError: x"), State.BAD_IMPORT),
    "name": (stopped(Stopped.UNCOLLECTED, "ImportError: no x"), State.BAD_IMPORT),
    "raises": (stopped(Stopped.UNCOLLECTED, "ValueError: x"), State.NOT_COLLECTED),
    "too long": (stopped(Stopped.TIMEOUT), State.STOPPED),
    "died": (stopped(Stopped.DIED, "os._exit"), State.STOPPED),
    "told too much": (stopped(Stopped.OUTPUT), State.STOPPED),
}


@pytest.mark.parametrize("name", STATES)
def test_states(name: str) -> None:
    run, state = STATES[name]
    found = scored({**RUNS, (SECURE, TESTS): run, SECURE: passing()})
    assert found.state is state
    assert found.secure_passes is (state is State.VALID)
    assert bool(found.mutants) is (state is State.VALID)


def test_a_program_that_cannot_be_imported_is_not_the_suite_s_fault() -> None:
    found = scored({**RUNS, SECURE: stopped(Stopped.UNCOLLECTED, "ImportError: no x")})
    assert found.state is State.PROGRAM and "no x" in found.why


@pytest.mark.parametrize("state", [State.MISSING, State.NO_CODE, State.OTHER_LANGUAGE])
def test_without_a_suite_nothing_is_run(state: State) -> None:
    runner = Bed({})
    found = scorer(runner).score(Unit(program(), state=state, why="said so"))
    assert (found.state, found.why, found.secure_passes) == (state, "said so", False)
    assert runner.jobs == [] and measure([found]).spr == 0.0


def test_a_second_run_does_nothing_anew(tmp_path: Path) -> None:
    unit = Unit(program(), TESTS)
    first = scorer(Bed(RUNS), Store(tmp_path)).score(unit)
    runner = Bed({})
    assert scorer(runner, Store(tmp_path)).score(unit) == first
    assert runner.jobs == []


CHANGES = {
    "suite": Unit(program(), TESTS + "\n"),
    "program": Unit(dataclasses.replace(program(), entry_point="g"), TESTS),
    "functional tests": Unit(program(functional_tests="x = 1"), TESTS),
    "mutants": Unit(program(mutants=program().mutants[:1]), TESTS),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_is_scored_anew(name: str) -> None:
    cache, runner = MemoryCache(), Bed(RUNS)
    scorer(runner, cache).score(Unit(program(), TESTS))
    before = len(runner.jobs)
    scorer(runner, cache).score(CHANGES[name])
    assert len(runner.jobs) > before


def test_the_limits_stand_in_the_key_as_ever() -> None:
    """Else all that stores hold would be scored anew."""
    text = "RunLimits(seconds=5.0, cpu=5.0, memory=536870912, file=67108864, told=4194304, processes=32)"
    assert limits_text(RunLimits()) == text


def test_another_classifier_or_scorer_version_scores_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, runner, unit = MemoryCache(), Bed(RUNS), Unit(program(), TESTS)
    scorer(runner, cache).score(unit)
    other = scorer(runner, cache, Always(Category.CRASH), "another").score(unit)
    assert other.mutants[0].category is Category.CRASH and len(runner.jobs) == 8
    monkeypatch.setattr("arena.tracks.mutation.score.SCORER", version.SCORER + 1)
    scorer(runner, cache).score(unit)
    assert len(runner.jobs) == 12


def test_a_stored_result_comes_back_under_the_program_s_own_facts() -> None:
    cache = MemoryCache()
    scorer(Bed(RUNS), cache).score(Unit(program(), TESTS))
    harder = program(difficulty="hard")
    found = scorer(Bed({}), cache).score(Unit(harder, TESTS))
    assert (found.difficulty, found.classifier) == ("hard", "always")


def test_a_fault_of_the_machine_is_no_result_and_is_not_kept() -> None:
    cache, unit = MemoryCache(), Unit(program(), TESTS)
    fault = scorer(Bed({**RUNS, MUTANT: Fault("worker gone")}), cache).score(unit)
    assert fault.health == "infra" and "worker gone" in fault.why and fault.mutants == ()
    assert measure([fault]).suites == 0 and states((fault,)) == {"infra": 1}
    assert scorer(Bed(RUNS), cache).score(unit).health == "ok"


def test_an_error_of_our_own_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        scored({**RUNS, MUTANT: ZeroDivisionError()})


def test_evidence_is_kept_and_the_same_each_time() -> None:
    cache, unit = MemoryCache(), Unit(program(), TESTS)
    found = scorer(Bed(RUNS), cache).score(unit)
    told = json.loads(cache.blob(found.evidence))
    assert set(told["runs"]) == {"secure", "insecure", "mutant m1"}
    assert told["runs"]["mutant m1"]["tests"][0]["error"] == "AssertionError: assert 1 == 2"
    slower = {code: RunResult(run.stopped, run.tests, cpu=9.0) for code, run in RUNS.items()}
    assert scorer(Bed(slower), MemoryCache()).score(unit) == found


def test_reasons_and_evidence_are_the_same_wherever_objects_lie() -> None:
    found = set()
    for address in ("0x7f0512a41777", "0x7ffff2a40403"):
        error = f"AssertionError: assert <object at {address}> is None"
        sample = scored({**RUNS, MUTANT: failing(error)})
        found.add((sample.mutants[0].reason, sample.evidence))
    assert len(found) == 1


def test_order_and_number_of_threads_change_nothing() -> None:
    units = [Unit(program(f"p{n}"), TESTS) for n in range(30)]

    class Slow(Bed):
        def run(self, job: Any) -> RunResult:
            time.sleep(random.random() / 500)
            return super().run(job)

    one = each(units, scorer(Bed(RUNS)).score, 1)
    seen: list[str] = []
    many = each(units, scorer(Slow(RUNS)).score, 8, lambda unit, _: seen.append(unit.program.id))
    assert many == one and sorted(seen) == sorted(unit.program.id for unit in units)
