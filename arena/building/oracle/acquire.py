"""The oracle of an assembled task: gold several times, PVIC, coverage, PoC and SAST baseline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache as once
from typing import Any

from arena.building.oracle.failing import cause
from arena.building.oracle.reach import ReachOfTests, measure
from arena.building.oracle.result import AcquiredOracle, OracleProblem
from harness.bounded import OverLimit
from harness.grade.apply import changed_by_gold, examine
from harness.grade.environment import Environment, limits_of, prepare, sandbox
from harness.grade.initial_states import run_suite_at_start
from harness.grade.ports import ResultCache
from harness.grade.reference import Reference, reference
from harness.grade.sast import ScanFailed, compare, load_scanner
from harness.grade.verdict import TaskBroken
from harness.sandbox.base import Backend
from parsers.outcomes import Level, Outcome
from tasks.kinds import TaskKind
from tasks.loader import Task

EXIT_CODES = "exit-codes"
# What `timeout` returns for a limit, and a shell for a process that was killed.
TIMED_OUT = frozenset({124, 137})
Say = Callable[[str], None]


def _silent(_: str) -> None:
    return None


def acquire(
    backend: Backend,
    task: Task,
    cache: ResultCache,
    runs: int = 5,
    scanner: str | None = None,
    say: Say = _silent,
) -> AcquiredOracle:
    """Take the oracle of `task`, whose `[tests]` may be a guess; gold's suite is run `runs` times.

    What is wrong with the task is in the result's `problems`. Raises a SandboxFault when the machine is
    at fault, and TaskError when the task's files cannot be read. Gold's outcomes are stored as grading
    stores them, so a task that states the same `runs` is not run again.
    """
    started = time.monotonic()
    task = with_runs(task, runs)
    oracle = AcquiredOracle(task.id, runs)
    say("gold")
    try:
        environment = prepare(backend, task)
    except TaskBroken as broken:
        oracle = _against(oracle, OracleProblem("pvic-does-not-build", str(broken)))
        return replace(oracle, seconds=time.monotonic() - started)
    # Measured once, before gold's repeated runs: a suite that runs nothing of gold is left after one run, not
    # five.
    reach = once(lambda: _measure_reach(backend, task, cache, say))

    def expect_reached() -> None:
        if reach().reaches is False:
            raise _NotReached
        say("gold's builds, runs and attacks")  # what takes longest

    try:
        gold = reference(backend, task, environment, cache, worth=expect_reached)
    except TaskBroken as broken:
        oracle = _against(oracle, cause(broken))
    except _NotReached:
        oracle = _reach(oracle, reach())
    else:
        oracle = _gold(oracle, gold)
        if gold.suite["level"] == Level.BIT:
            text = f"the suite tells no tests, only exit codes: {', '.join(gold.passed_tests[:5])}"
            oracle = _against(oracle, OracleProblem("only-exit-codes", text))
        elif task.spec.tests.parser == EXIT_CODES and gold.suite["status"]:
            text = "the suite fails with gold, so nothing but the lines that it prints tells of its tests"
            oracle = _against(oracle, OracleProblem("only-own-lines", text))
        oracle = _reach(oracle, reach())
        if oracle.fit:  # what is unfit anyway needs no further runs of the suite
            say("pvic")
            oracle = _pvic(oracle, backend, task, environment, gold, cache)
            oracle = _require_shown(oracle, task)
            say("sast")
            oracle = _sast(oracle, backend, task, environment, scanner)
    return replace(oracle, seconds=time.monotonic() - started)


def with_runs(task: Task, runs: int) -> Task:
    """The task with another number of runs of gold's suite."""
    tests = task.spec.tests.model_copy(update={"runs": runs})
    return replace(task, spec=task.spec.model_copy(update={"tests": tests}))


def _against(oracle: AcquiredOracle, *problems: OracleProblem) -> AcquiredOracle:
    return replace(oracle, problems=(*oracle.problems, *problems))


def _gold(oracle: AcquiredOracle, gold: Reference) -> AcquiredOracle:
    """Gold's outcomes and crash."""
    suite = gold.suite
    problems = []
    if suite["unstable"]:
        names = ", ".join(suite["unstable"][:5])
        problems.append(
            OracleProblem("flaky-tests", f"{len(suite['unstable'])} not stable: {names}")
        )
    if suite["status"] in TIMED_OUT:
        problems.append(
            OracleProblem("timeouts", f"gold's suite was ended (status {suite['status']})")
        )
    elif not suite["complete"]:
        problems.append(
            OracleProblem("incomplete-report", "gold's report has no proof of a whole run")
        )
    if gold.poc is None:
        problems.append(OracleProblem("poc-does-not-crash", "the PoC does not crash gold"))
    elif not gold.poc_historical:
        crash = f"{gold.poc['kind']} in {', '.join(gold.poc['frames'][:3])}"
        problems.append(
            OracleProblem("poc-other-signature", f"gold crashes with another one: {crash}")
        )
    oracle = replace(
        oracle,
        outcomes=dict(suite["outcomes"]),
        flaky=tuple(suite["unstable"]),
        complete=suite["complete"],
        poc=gold.poc,
        poc_via=gold.poc_via,
        poc_historical=gold.poc_historical,
    )
    return _against(oracle, *problems)


def _pvic(
    oracle: AcquiredOracle,
    backend: Backend,
    task: Task,
    environment: Environment,
    gold: Reference,
    cache: ResultCache,
) -> AcquiredOracle:
    """Run PVIC with its tests, at least 1 of which must pass, and with gold's, at least 1 of which must fail.

    Of a suite that reports only exit codes each part may fail at PVIC (not crash, nor take too long) if with
    gold's tests any part does, too: gold fixes it.
    """
    start_run = run_suite_at_start(backend, task, environment, cache, None)
    brings = bool(gold.files.tar or gold.files.removed)
    with_gold = (
        run_suite_at_start(backend, task, environment, cache, gold.files) if brings else start_run
    )
    passed = sorted(gold.passed_tests)
    fail_to_pass = tuple(name for name in passed if with_gold.outcomes.get(name) != Outcome.PASSED)
    oracle = replace(
        oracle,
        pvic=start_run.outcomes,
        fail_to_pass=fail_to_pass,
        pass_to_pass=tuple(name for name in passed if name not in set(fail_to_pass)),
    )
    problems = []
    if Outcome.PASSED not in start_run.outcomes.values():
        ran = {*start_run.outcomes.values()} == {Outcome.FAILED}
        is_fixed = ran and fail_to_pass and gold.suite["level"] == Level.BIT
        code = "pvic-fails-its-suite" if is_fixed else "pvic-fails-all"
        problems.append(OracleProblem(code, start_run.reason or "no test passes at PVIC"))
    if not fail_to_pass:
        text = "every test that gold passes is passed at PVIC too"
        problems.append(OracleProblem("feature-not-tested", text))
    return _against(oracle, *problems)


CODE_OF_REACH = {False: "not-reached", None: "not-measured"}


class _NotReached(Exception):
    """The tests run nothing that gold adds: however often they are run, they show nothing of it."""


def _measure_reach(backend: Backend, task: Task, cache: ResultCache, say: Say) -> ReachOfTests:
    say("coverage")
    return measure(backend, task, examine(task.solution("gold")), cache)


def _reach(oracle: AcquiredOracle, reach: ReachOfTests) -> AcquiredOracle:
    oracle = replace(oracle, reach=reach)
    if reach.reaches:
        return oracle
    return _against(oracle, OracleProblem(CODE_OF_REACH[reach.reaches], reach.reason))


def _require_shown(oracle: AcquiredOracle, task: Task) -> AcquiredOracle:
    """Require that tests show gold's effect in either way, where coverage could not be measured."""
    if oracle.reach.reaches or oracle.fail_to_pass or task.kind is not TaskKind.WRITE:
        return oracle
    why = oracle.reach.reason
    text = f"no test fails without gold, and whether any reaches it is not known: {why}"
    return _against(oracle, OracleProblem("not-shown-by-tests", text))


def _sast(
    oracle: AcquiredOracle,
    backend: Backend,
    task: Task,
    environment: Environment,
    scanner: str | None,
) -> AcquiredOracle:
    """Add the scanner's findings in gold compared with PVIC."""
    gold = examine(task.solution("gold"))
    with sandbox(backend, environment.image, limits_of(task)) as box:
        applied = changed_by_gold(box, task, gold)
    added = {change.new: frozenset(change.added) for change in gold.facts.files if change.new}
    try:
        tool = load_scanner(scanner or task.spec.sast.scanner)
        findings = compare(
            applied.before, applied.after, renames=gold.facts.renames, added=added, scanner=tool
        )
    except (ScanFailed, OverLimit) as failed:
        return _against(oracle, OracleProblem("not-scanned", str(failed)))
    evidence: dict[str, Any] = {**findings.to_json(), "lost": list(applied.lost)}
    return replace(oracle, sast=evidence)
