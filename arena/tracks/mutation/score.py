"""Scores suites: each runs on the secure and the insecure version, and on the mutants if it is valid.

A suite's result is stored by content (program, suite, mutants, classifier, scorer): a second run does nothing
anew, and a killed run goes on where it stopped. The same inputs give the same result whatever the
order in which the threads come to them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.tracks.mutation.classify import Category, Classifier, Kill, KilledMutant, RunsTests
from arena.tracks.mutation.classify.paper import ADDRESS
from arena.tracks.mutation.results import MutantResult, SampleResult, State
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped
from arena.tracks.mutation.runner.job import RunLimits, SuiteJob
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.version import SCORER
from harness.grade.ports import ResultCache, digest_of

MAX_REASON = 2_000
# Run alone on the program: if that cannot be imported either, the suite is not to blame.
NO_TEST = "def test_nothing():\n    pass\n"
NOT_COMPILED = ("SyntaxError", "IndentationError", "TabError")
BAD_IMPORT = ("ImportError", "ModuleNotFoundError")
# Facts that differ from run to run, and would make the same evidence look new.
UNKEPT = frozenset({"cpu", "seconds"})

MutantsOf = Callable[[Program], Sequence[KilledMutant]]


@dataclass(frozen=True)
class Unit:
    """A test module for a program. `state`: as decided before any run, else valid; `why`: the reason."""

    program: Program
    source: str = ""
    state: State = State.VALID
    why: str = ""


def stored_mutants(program: Program) -> list[KilledMutant]:
    """The mutants that came with the dataset."""
    return [KilledMutant(m.id, m.operator, m.code, m.variant) for m in program.mutants]


@dataclass(frozen=True)
class SuiteScorer:
    """Scores units. `named` is the classifier's name, part of the key; `faults` are those of the runner."""

    runner: RunsTests
    classifier: Classifier
    named: str
    mutants_of: MutantsOf
    cache: ResultCache
    faults: tuple[type[Exception], ...] = ()
    limits: RunLimits = field(default_factory=RunLimits)

    def score(self, unit: Unit) -> SampleResult:
        """The unit's result, from the store if it is there. A fault of the machine is not stored."""
        return self._judge_unit(unit).model_copy(update={"classifier": self.named})

    def _judge_unit(self, unit: Unit) -> SampleResult:
        # Decided without a run, so that a missing suite costs no sandbox.
        if not unit.source.strip():
            return _sample(unit, unit.state, unit.why)
        try:
            return self._known_or_scored(unit, self.mutants_of(unit.program))
        # The machine's fault is no result and never stored (law 1): the next run scores the suite again.
        except self.faults as error:
            fault = f"{type(error).__name__}: {error}"
            return _sample(unit, State.STOPPED, fault).model_copy(update={"health": "infra"})

    def _known_or_scored(self, unit: Unit, mutants: Sequence[KilledMutant]) -> SampleResult:
        key = self._key(unit, mutants)
        if (fact := self.cache.fact(key)) is not None:
            return _sample_of(unit, SampleResult.model_validate(fact))
        result = self._score_unit(unit, mutants)
        self.cache.put_fact(key, result.model_dump(mode="json"))
        return result

    def _key(self, unit: Unit, mutants: Sequence[KilledMutant]) -> str:
        stored = (part for m in mutants for part in (m.id, m.operator, m.code))
        program = (unit.program.digest, unit.program.functional_tests)  # a classifier may run them
        key_parts = (*program, unit.source, self.named, limits_text(self.limits))
        return digest_of("mutation-score", str(SCORER), *key_parts, *stored)

    def _score_unit(self, unit: Unit, mutants: Sequence[KilledMutant]) -> SampleResult:
        secure = self._run(unit.program.secure, unit)
        state, why = self._state(secure, unit)
        # Run for invalid suites as well: VD is counted over all suites, and evidence shows how they ended.
        insecure = self._run(unit.program.insecure, unit)
        runs = {"secure": secure, "insecure": insecure}
        results = []
        floor = self._floor(unit, mutants) if state is State.VALID else {}
        for mutant in mutants if state is State.VALID else ():
            run = self._run(mutant.code, unit)
            if run.broke:
                runs[f"mutant {mutant.id}"] = run
            judged = self._judge_mutant(unit, mutant, secure, run)
            is_floor_kill = (
                judged.category is Category.SEMANTIC if _is_floor(unit) else floor.get(mutant.id)
            )
            results.append(judged.model_copy(update={"floor": is_floor_kill}))
        facts: dict[str, Any] = {
            "secure_passes": state is State.VALID,
            "insecure_fails": not insecure.has_passed,
            "tests": len(secure.tests),
            "mutants": tuple(results),
            "evidence": self.cache.keep(evidence(unit, runs)),
        }
        return _sample(unit, state, why).model_copy(update=facts)

    def _floor(self, unit: Unit, mutants: Sequence[KilledMutant]) -> dict[str, bool]:
        """Which mutants the program's functional suite kills semantically; {} where it is not valid."""
        floor_unit = replace(unit, source=unit.program.functional_tests)
        if not floor_unit.source.strip() or _is_floor(unit):
            return {}
        result = self._known_or_scored(floor_unit, mutants)
        return {m.id: m.category is Category.SEMANTIC for m in result.mutants}

    def _run(self, code: str, unit: Unit) -> RunResult:
        lacking = getattr(self.classifier, "lacking", ())
        return self.runner.run(SuiteJob(code, unit.source, self.limits, lacking=lacking))

    def _state(self, secure: RunResult, unit: Unit) -> tuple[State, str]:
        """What the run on the secure program says of the suite."""
        if secure.stopped is Stopped.UNCOLLECTED:
            state = _state_if_uncollected(secure)
            # A suite that does not compile says enough; elsewhere the program itself may be what cannot be
            # imported.
            if state is not State.NOT_COMPILED:
                alone = self.runner.run(SuiteJob(unit.program.secure, NO_TEST, self.limits))
                if alone.stopped is Stopped.UNCOLLECTED:
                    return State.PROGRAM, _steady(alone.error)
            return state, _steady(secure.error)
        if secure.stopped is not Stopped.FINISHED:
            return State.STOPPED, f"{secure.stopped}: {_steady(secure.error)}"
        if bad := next(secure.failing(), None):
            return State.FAILS_ON_SECURE, _steady(f"{bad.name}: {bad.error}")
        if secure.has_passed:
            return State.VALID, ""
        ended = sorted({str(test.outcome) for test in secure.tests})
        return (State.PASSES_NOTHING, ", ".join(ended)) if ended else (State.NO_TEST, "")

    def _judge_mutant(
        self, unit: Unit, mutant: KilledMutant, secure: RunResult, run: RunResult
    ) -> MutantResult:
        survived = MutantResult(
            id=mutant.id,
            operator=mutant.operator,
            variant=mutant.variant,
            killed=False,
            stopped="" if run.stopped is Stopped.FINISHED else str(run.stopped),
        )
        if not run.broke:
            return survived
        kill = Kill(unit.program, mutant, unit.source, secure, run, self.runner)
        category, reason = self.classifier.classify(kill)
        shown = _steady(f"{reason}; {_failure(run)}")
        return survived.model_copy(update={"killed": True, "category": category, "reason": shown})


def _is_floor(unit: Unit) -> bool:
    return unit.source == unit.program.functional_tests


def evidence(unit: Unit, runs: dict[str, RunResult]) -> bytes:
    """The runs and their results as JSON; the same inputs give the same bytes, except random values."""
    facts = {"program": unit.program.id, "suite": unit.source, "runs": runs}
    return ADDRESS.sub("0x", json.dumps(facts, default=_plain, ensure_ascii=True)).encode()


def _plain(value: object) -> dict[str, Any]:
    return {name: part for name, part in vars(value).items() if name not in UNKEPT}


def _state_if_uncollected(run: RunResult) -> State:
    kind = run.error.partition(":")[0].strip()
    if kind in NOT_COMPILED:
        return State.NOT_COMPILED
    if kind in BAD_IMPORT:
        return State.BAD_IMPORT
    # pytest raises this where a whole module skips itself, which is no fault of an import.
    if kind == "Skipped":
        return State.PASSES_NOTHING
    return State.NO_TEST if kind == "NoTests" else State.NOT_COLLECTED


def _failure(run: RunResult) -> str:
    """The first failure in words, as a person would look for it."""
    if run.stopped is not Stopped.FINISHED:
        return f"{run.stopped}: {run.error}"
    bad = next(run.failing(), None)
    if bad is not None:
        return f"{bad.name}: {bad.error}"
    xpassed = [test.name for test in run.tests if test.outcome is EndOfTest.XPASSED]
    return f"{xpassed[0]} passed though it was to fail" if xpassed else "no test passed"


def _steady(text: str) -> str:
    """Cut, and without addresses, which differ from run to run."""
    return ADDRESS.sub("0x", text[: 2 * MAX_REASON])[:MAX_REASON]


def limits_text(limits: RunLimits) -> str:
    """The limits in the key of a stored result."""
    # The keys are older than the name `output`: with it no result in a store would be found again.
    return repr(limits).replace("output=", "told=")


def _sample(unit: Unit, state: State, why: str) -> SampleResult:
    program = unit.program
    return SampleResult(
        id=program.id,
        cwe=program.cwe,
        difficulty=program.difficulty,
        state=state,
        why=why[:MAX_REASON],
        secure_passes=False,
        insecure_fails=False,
    )


def _sample_of(unit: Unit, result: SampleResult) -> SampleResult:
    """A stored result under this unit's names: two suites may hold the same text."""
    names = ("id", "cwe", "difficulty", "prompt", "sample")
    fresh = _sample(unit, result.state, result.why)
    return result.model_copy(update={name: getattr(fresh, name) for name in names})
