"""Which of a program's mutants count: those that are weak, work, and differ from all before them.

A mutant counts only if a witness shows an effect for an attacker (`oracle/prove.py`), its program does not
document it as no weakness (`survivors.toml`), the functional suite passes on it or fails over the weakness
itself, and no mutant before it behaves alike under every exploit of the program and its reference suite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from arena.tracks.mutation.mutants import Mutant
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.operators._operator import Operator
from arena.tracks.mutation.oracle.calls import module_of
from arena.tracks.mutation.oracle.prove import REPEATED, SEARCH, RunsJobs, compare, pairs
from arena.tracks.mutation.oracle.refusals import is_refusal
from arena.tracks.mutation.oracle.witnesses import WEAK_OBJECT_EVENTS, WitnessSeen, witness
from arena.tracks.mutation.runner.events import MECHANISMS
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.program import Program

UNPROVEN = "no effect for an attacker was seen"
BROKEN = "the functional suite fails"
DOCUMENTED = "documented as no weakness"
TWIN = "twin of another mutant"
# Why mutants leave, in the order in which it is asked.
LEFT = (UNPROVEN, BROKEN, DOCUMENTED, TWIN)

# The witness of a text that comes back as it was: where a functional suite asks for what neutralises it.
RAW = "special"
# Events that show how something was done: no reason for a call to fail that the secure program serves.
HOW_ONLY = WEAK_OBJECT_EVENTS | MECHANISMS
# What is new in each run: names of temporary files, addresses, tokens, times.
PASSING = re.compile(r"\btmp[a-z0-9_]{8}\b|0x[0-9a-f]+|[0-9a-f]{16,}|\d{8,}")

Oracle = Mapping[str, object]


def left_out(
    program: Program, proven: Sequence[tuple[Mutant, Oracle]], bed: RunsJobs
) -> dict[str, str]:
    """Ids of mutants that do not count -> why, a text of `LEFT`. `proven`: all, {} where without exploit.

    Raises what the bed raises.
    """
    reasons = {mutant.id: UNPROVEN for mutant, oracle in proven if not oracle}
    weak = [mutant for mutant, oracle in proven if oracle]
    held = _run(bed, program.secure, program.functional_tests)
    for mutant in weak:
        if _breaks(program, mutant, held, bed):
            reasons[mutant.id] = BROKEN
        elif any(survivor.explains(mutant) for survivor in program.survivors):
            reasons[mutant.id] = DOCUMENTED
    left = [mutant for mutant in weak if mutant.id not in reasons]
    # A slow exploit differs from run to run, so it can show no two mutants to behave alike.
    attacks = [o for _, o in proven if o and o["found_by"] == "attack" and o["witness"] != "slow"]
    calls = list(dict.fromkeys(str(oracle["call"]) for oracle in attacks))
    return reasons | dict.fromkeys(_twins(program, left, calls, bed), TWIN)


def _run(bed: RunsJobs, code: str, tests: str) -> RunResult:
    if not tests.strip():
        return RunResult(Stopped.FINISHED)
    return bed.run(SuiteJob(code, tests, SEARCH))


def _operator(mutant: Mutant) -> Operator:
    operator = operator_of(mutant.operator)
    assert operator is not None, mutant.operator  # noqa: S101 - it made the mutant
    return operator


def _breaks(program: Program, mutant: Mutant, secure_run: RunResult, bed: RunsJobs) -> bool:
    """Whether the mutant fails a functional test that the secure program passes, not over the weakness."""
    run, operator = _run(bed, mutant.code, program.functional_tests), _operator(mutant)
    # A program that hangs is broken, unless taking long is the very weakness.
    if run.stopped is not Stopped.FINISHED:
        # Where time is the weakness, a functional test may run into it.
        ended_by_it = run.stopped is Stopped.TIMEOUT and "slow" in operator.witnesses
        return secure_run.stopped is Stopped.FINISHED and not ended_by_it
    passed = {t.name: t for t in secure_run.tests if t.outcome is EndOfTest.PASSED}
    sources = mutant.code, program.secure
    return any(
        not _differs_by_weakness(pairs(test, passed[test.name], *sources), operator)
        for test in run.failing()
        if test.name in passed
    )


def _differs_by_weakness(calls: Iterator[WitnessSeen], operator: Operator) -> bool:
    """Whether calls of a failing test differ by the weakness alone.

    A witness reports it in a call, and no call is lost that the secure program serves, except a call in which
    an attack itself shows: the quote of an ordinary name breaks an injectable statement.
    """
    has_witness = False
    for call in calls:
        # `special` besides the operator's own: a functional suite may ask for the escaped text.
        names = [name for name in (*operator.witnesses, RAW) if witness(name)(call)]
        has_witness = has_witness or bool(names)
        if _is_lost(call) and not any(n.removeprefix("event:") not in HOW_ONLY for n in names):
            return False
    return has_witness


def _is_lost(comparison: WitnessSeen) -> bool:
    """The secure program serves the call, and the mutant does not."""
    if comparison.secure.raised:
        return False
    if comparison.mutant.raised:
        return True
    return is_refusal(comparison.mutant, comparison.mutant_code) and not is_refusal(
        comparison.secure, comparison.secure_code
    )


def _twins(
    program: Program, mutants: Sequence[Mutant], calls: list[str], bed: RunsJobs
) -> Iterator[str]:
    """Ids of mutants that behave as an earlier mutant: alike for each exploit and the reference suite."""
    if len(mutants) < 2:
        return
    witnesses = tuple(dict.fromkeys(w for m in mutants for w in _operator(m).witnesses))
    tried = module_of(program, calls, REPEATED in witnesses) if calls else ""
    suites = [tests for tests in (tried, program.security_tests) if tests.strip()]
    held = [_run(bed, program.secure, tests) for tests in suites]
    values: set[tuple[object, ...]] = set()
    for mutant in mutants:
        shown = tuple(
            _suite_evidence(before, _run(bed, mutant.code, tests), witnesses, program, mutant)
            for tests, before in zip(suites, held, strict=True)
        )
        if shown in values:
            yield mutant.id
        values.add(shown)


def _suite_evidence(
    held: RunResult, weak: RunResult, witnesses: tuple[str, ...], program: Program, mutant: Mutant
) -> tuple[object, ...]:
    """What a suite shows of a mutant: how each test ended, and what witnesses saw in its calls."""
    before = {test.name: test for test in held.tests}

    def test_evidence(test: TestOutcome) -> tuple[object, ...]:
        ended = (test.name, test.outcome, *(call.raised for call in test.calls))
        if test.name not in before:
            return ended
        comparison = compare(witnesses, test, before[test.name], mutant.code, program.secure)
        return *ended, *((name, PASSING.sub("#", detail)) for name, detail, _, _ in comparison)

    return weak.stopped, *map(test_evidence, weak.tests)
