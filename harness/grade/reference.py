"""Gold's outcomes, which grading compares with: recorded once for each task and grader version."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.grade import fixed_program, oracle, outcomes, symbols, words
from harness.grade.attack import NotRun, attack_of, historical, replay
from harness.grade.building import (
    build,
    build_target,
    last_lines,
    log_of,
    prepare_build,
    with_errors,
)
from harness.grade.compilations import record_compilations
from harness.grade.control import Control
from harness.grade.decide import Decided
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.evidence import SuiteOutcomes
from harness.grade.guard import watch
from harness.grade.initial_states import bring_gold, bring_start, run_suite_at_start
from harness.grade.ports import ResultCache, digest_of
from harness.grade.preprocessed import GoldTests, observe_gold
from harness.grade.testing import accept_run, outcomes_of, run_suite
from harness.grade.variants import VariantReference
from harness.grade.verdict import TaskBroken
from harness.grade.version import GRADER_VERSION
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.outcomes import Outcome
from tasks.loader import Task, TaskError

NO_CONTROL = Control()
NO_TESTS = GoldTests()


@dataclass(frozen=True)
class Reference:
    """`suite`: outcomes, unstable names, status, completeness; `files`: gold's version of the oracle's files.

    `poc` is the expected crash: gold's, or where gold is the fix that of the start. `poc_via` says where it
    appears: "report" (a file the sanitizer wrote) or "output".
    """

    suite: SuiteOutcomes
    files: oracle.GoldFiles
    poc: dict[str, Any] | None
    poc_via: str
    poc_historical: bool
    # The exit status of the target on the PoC with the fix; None if that crashes or does not build.
    poc_ending: int | None = None
    # Watched names of gold's fuzz target and objects, see `harness.grade.symbols`.
    symbols: tuple[str, ...] = ()
    # The same after the suite was built.
    symbols_of_tests: tuple[str, ...] = ()
    # How the oracle's sources are compiled and expand, see `harness.grade.preprocessed`.
    tests: GoldTests = NO_TESTS
    # Identifiers that only the oracle's sources have, see `harness.grade.words`.
    words: frozenset[str] = frozenset()
    # The oracle's files that gold's own builds write to.
    self_touched: tuple[str, ...] = ()
    # Like `suite`, with the fix, for the tests built like the fuzz target; None if there are none.
    suite_of_target: SuiteOutcomes | None = None
    # Like `suite`, with the fix, for the tests with other values; None if there are none.
    suite_of_other_values: SuiteOutcomes | None = None
    # How the target's variants behave with the fix.
    variants: tuple[VariantReference, ...] = ()
    # The positive control; empty if it does not work with the fix.
    control: Control = NO_CONTROL
    # How the target ends with the fix on each neighbour; empty if the PoC's ending is unknown.
    around: tuple[tuple[int | None, str], ...] = ()
    # Functions of libraries that the fixed program calls.
    calls_of_fix: tuple[str, ...] = ()
    # Of a task that begins right before the fix: tests that came with it, which fail without it.
    plus: frozenset[str] = frozenset()
    # Of such a task: with the fix, no memory is lost on any neighbour.
    leak_free: bool = False

    @property
    def passed_tests(self) -> list[str]:
        return [
            name for name, outcome in self.suite["outcomes"].items() if outcome == Outcome.PASSED
        ]


def reference(
    backend: Backend,
    task: Task,
    environment: Environment,
    cache: ResultCache,
    shipped: bool = False,
    worth: Callable[[], None] = accept_run,
) -> Reference:
    """Gold's outcomes: from the cache, with `shipped` those of the pack, or taken now.

    Where its suite is run, `worth` is called after the first run; what it raises ends the observation.

    The oracle's files are dated now: they are newer than all that was compiled with the environment, or
    `make` would not build what gold changed. Raises TaskBroken when gold does not hold.
    """
    cached = cache.fact(_key(task, environment))
    # Shipped outcomes are used only where this machine has none: its observations come first.
    fact = outcomes.load_shipped(backend, task, cache) if cached is None and shipped else cached
    if fact is None:
        fact = _take(backend, task, environment, cache, worth)
    files = oracle.GoldFiles(base64.b64decode(fact["oracle_tar"]), tuple(fact["oracle_removed"]))
    # Facts of the fixed program are keyed apart: a new fixed patch does not invalidate gold's outcomes.
    if fact.get("fixed", {}).get("digest") != task.fixed_digest:  # it came later, or changed
        fact = {**fact, "fixed": fixed_program.observe(backend, task, environment, files, cache)}
    if fact != cached:
        cache.put_fact(_key(task, environment), fact)
    return Reference(
        suite=fact["suite"],
        files=replace(files, tar=archive.set_mtime(files.tar, time.time())),
        poc=fact["poc"],
        poc_via=fact["poc_via"],
        poc_historical=fact["poc_historical"],
        poc_ending=fact["fixed"]["ending"],
        self_touched=tuple(fact["self_touched"]),
        symbols=tuple(fact["symbols"]),
        symbols_of_tests=tuple(fact["symbols_of_tests"]),
        words=frozenset(fact["words"]),
        tests=GoldTests.from_json(fact["compiled_tests"]),
        suite_of_target=fact["fixed"]["suite"],
        suite_of_other_values=fact["fixed"].get("other_values"),
        variants=tuple(map(VariantReference.from_json, fact["fixed"]["variants"])),
        control=fixed_program.control(backend, task, cache)
        if fact["fixed"]["control"]
        else NO_CONTROL,
        around=tuple((status, output) for status, output in fact["fixed"]["around"]),
        calls_of_fix=tuple(fact["fixed"]["calls"]),
        leak_free=fact["fixed"].get("leak_free", False),
        plus=frozenset(fact.get("plus", ())),
    )


def ship(backend: Backend, task: Task, environment: Environment, cache: ResultCache) -> None:
    """Write what `reference` has taken into the pack. Raises TaskError when it cannot be."""
    fact = cache.fact(_key(task, environment))
    if fact is None:
        raise TaskError(f"{task.id}: gold's outcomes were not taken")
    outcomes.ship(backend, task, cache, fact)


def _key(task: Task, environment: Environment) -> str:
    return "reference:" + digest_of(str(GRADER_VERSION), task.gold_digest, environment.identity)


def _take(
    backend: Backend,
    task: Task,
    environment: Environment,
    cache: ResultCache,
    worth: Callable[[], None] = accept_run,
) -> dict[str, Any]:
    try:
        with sandbox(backend, environment.image, limits_of(task)) as box:
            files = bring_gold(box, task)
            prepare_build(box, task)
            guard = watch(box, task, None)
            build(box, task, task.spec.environment.build, "build", "does not build", cache)
            if task.spec.tests.build:
                build(box, task, task.spec.tests.build, "tests", "tests do not build", cache)
            self_touched = guard.touched_paths()
            test_words = words.words_of_tests(box, task)
            test_symbols = symbols.names_to_compare(symbols.list_names(box, task), guard.before)
            suite = outcomes_of(task, lambda: run_suite(backend, box, task, cache), worth)
    except Decided as decided:
        raise _task_broken(task, decided, cache) from decided
    fact = {
        "suite": suite,
        "symbols_of_tests": test_symbols,
        "words": test_words,
        "compiled_tests": _compiled_tests(backend, task, environment, test_symbols).to_json(),
        "oracle_tar": base64.b64encode(files.tar).decode(),
        "oracle_removed": list(files.removed),
        **_attack(
            backend, task, environment, lambda box: bring_gold(box, task), self_touched, cache
        ),
    }
    return fact | (
        _observe_start(backend, task, environment, fact, cache) if task.spec.source.base else {}
    )


def _compiled_tests(
    backend: Backend, task: Task, environment: Environment, test_symbols: Sequence[str]
) -> GoldTests:
    """The compilations of gold's tests, recorded in a separate build.

    test_symbols: names, see `symbols.names_to_compare`.
    """
    with sandbox(backend, environment.image, limits_of(task)) as box:
        bring_gold(box, task)
        compilations = record_compilations(box, task)
        return observe_gold(box, task, compilations, symbols.list_borrowed_names(test_symbols))


def _observe_start(
    backend: Backend,
    task: Task,
    environment: Environment,
    gold: dict[str, Any],
    cache: ResultCache,
) -> dict[str, Any]:
    """Where gold is the fix: the crash, which is that of the start, and the tests that came with the fix."""
    tar, removed = base64.b64decode(gold["oracle_tar"]), tuple(gold["oracle_removed"])
    files = oracle.GoldFiles(archive.set_mtime(tar, time.time()), removed)
    shown = _attack(
        backend,
        task,
        environment,
        lambda box: bring_start(box, task, files),
        gold["self_touched"],
        cache,
    )
    run = run_suite_at_start(backend, task, environment, cache, files)
    if run.reason:
        raise TaskBroken(f"{task.id}: gold's tests say nothing of the start: {run.reason}")
    passed = (name for name, how in gold["suite"]["outcomes"].items() if how == Outcome.PASSED)
    plus = sorted(name for name in passed if run.outcomes.get(name) != Outcome.PASSED)
    crash = {name: shown[name] for name in ("poc", "poc_via", "poc_historical")}
    return {**crash, "plus": plus}


def _task_broken(task: Task, decided: Decided, cache: ResultCache) -> TaskBroken:
    """What gold does not do, with the lines that name errors, and all that was printed in `log`."""
    log = log_of(decided, cache)
    return TaskBroken(f"{task.id}: gold: {with_errors(decided.reason, log)}", log)


def _attack(
    backend: Backend,
    task: Task,
    environment: Environment,
    make: Callable[[Sandbox], object],
    self_touched: Sequence[str],
    cache: ResultCache,
) -> dict[str, Any]:
    """How the target of a program behaves on the PoC. make: brings a fresh sandbox to that program."""
    with sandbox(backend, environment.image, limits_of(task)) as box:
        try:
            make(box)
            guard = watch(box, task, None)
            build_target(box, task, "the fuzz target does not build", cache)
            self_touched = sorted({*self_touched, *guard.touched_paths()})
            gold_symbols = symbols.names_to_compare(symbols.list_names(box, task), guard.before)
            crash, evidence = replay(box, attack_of(task), cache, trust_output=True)
        except Decided as decided:
            raise _task_broken(task, decided, cache) from decided
        except NotRun as error:
            raise TaskBroken(f"{task.id}: poc.command cannot be run: {error}") from error
    is_historical = crash is not None and historical(task, crash)
    # A limit that was hit is no crash to compare with, unless a timeout is what the case is about.
    if evidence["stopped"] and not is_historical:
        log = cache.blob(evidence["log"]) if "log" in evidence else b""
        why = f"the PoC was ended by its {evidence['stopped']} limit{last_lines(log)}"
        raise TaskBroken(f"{task.id}: gold: {why}", log)
    return {
        "poc": crash.to_json() if crash else None,
        "poc_via": evidence["via"],
        "poc_historical": is_historical,
        "self_touched": self_touched,
        "symbols": gold_symbols,
    }
