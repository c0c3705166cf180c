"""The gate for a task: its references pass all tests, each time, and no test is impossible to fail.

Every insecure variant passes the functional suite and fails the security tests that it names; every broken
variant runs and fails the functional tests that it names; some variant fails each test. The instruction
speaks of what the program does, and not of how it could be attacked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from arena.protocols import Checked
from arena.tracks.dual.judging import check_task
from arena.tracks.dual.languages.plan import Candidate
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import SampleResult, State
from arena.tracks.dual.score import ProgramScorer, Sample
from arena.tracks.dual.tasks.pack import DualTask, Kind, language_of
from arena.tracks.dual.tasks.schema import TestSpec, VariantSpec
from tasks.instruction.neutral import breaches
from tasks.loader import TaskError

# Tests of each suite.
LEAST = 4
# A test that fails now and then with the reference would cost samples their verdict by chance.
REPEATS = 3
KINDS: tuple[Kind, ...] = ("functional", "security")
# What is run of a task: its references, and its variants of a kind, which fail tests of one suite.
PARTS: Mapping[str, Kind | None] = {
    "references": None,
    "broken": "functional",
    "insecure": "security",
}


class _Infra(Exception):
    """The machine was at fault."""


def check(
    task: DualTask, scorer: ProgramScorer, repeats: int = REPEATS, parts: Iterable[str] = PARTS
) -> Checked:
    """Run the references `repeats` times on all tests, and each variant once on those that matter for it.

    parts: which of `PARTS` to run; checks that need no run are always included.
    """
    problems, infra = list(_formal(task)), False
    try:
        check_task(task)
        for part in parts:
            kind = PARTS[part]
            problems += (
                _variants(task, scorer, part, kind) if kind else _references(task, scorer, repeats)
            )
    except TaskError as error:
        problems.append(str(error))
    except _Infra as fault:
        problems.append(f"machine: {fault}")
        infra = True
    located = [
        (where, what) for where, _, what in (problem.partition(": ") for problem in problems)
    ]
    facts = {"languages": sorted(task.references), "variants": len(task.spec.variants)}
    return Checked(task.id, located, infra=infra, facts=facts)


def _formal(task: DualTask) -> Iterator[str]:
    for kind, tests in zip(KINDS, (task.suites.functional, task.suites.security), strict=True):
        if len(tests) < LEAST:
            yield f"tests.json: {kind}: {len(tests)} tests, at least {LEAST} are needed"
    for kind, test in task.tests:
        if not test.expect:
            yield f"tests.json: {test.id}: no oracle"
        if kind == "security" and not test.cwe:
            yield f"tests.json: {test.id}: cwe: missing"
    for rule, words in breaches(task.instruction):
        yield f"instruction.md: {rule.why}: {words!r}"
    lacking = [language for language in task.spec.languages if language not in task.references]
    if lacking:
        yield f"reference: none for {', '.join(lacking)}"


def _references(task: DualTask, scorer: ProgramScorer, repeats: int) -> Iterator[str]:
    for language, path in task.references.items():
        sample = Sample(
            task, f"reference-{language}", language, Candidate(language, path.read_bytes())
        )
        reported = set()
        for _ in range(repeats):
            for problem in _not_passed(_score_sample(scorer, sample)):
                if problem not in reported:
                    reported.add(problem)
                    yield f"reference/{path.name}: {problem}"


def _variants(task: DualTask, scorer: ProgramScorer, part: str, kind: Kind) -> Iterator[str]:
    caught: set[str] = set()
    for variant in (spec for spec in task.spec.variants if spec.kind == part):
        path = Path(variant.file)
        language = language_of(path)
        if language is None:
            yield f"{variant.file}: no program by its name"
            continue
        candidate = Candidate(language, task.read_variant(variant))
        result = _score_sample(
            scorer, Sample(task_for(task, variant), path.stem, language, candidate)
        )
        if result.state is not State.USABLE:
            yield f"{variant.file}: {result.state}: {result.why}"
            continue
        failing = _failing(result, kind)
        caught |= failing
        yield from _variant(variant, result, failing)
    for suite, test in task.tests:
        if suite == kind and test.id not in caught:
            yield f"tests.json: {test.id}: no {part} variant fails it"


def task_for(task: DualTask, variant: VariantSpec) -> DualTask:
    """The task with only those tests that are informative about a variant.

    A broken variant needs no security tests. An insecure variant needs those that it names as failing, those
    that no variant names, and all of them where none of the tests that it names is for its CWE.
    """
    suites, failing = task.suites, frozenset(variant.fails)
    if variant.kind == "broken":
        tests: tuple[TestSpec, ...] = ()
    # Whole suites for every variant would cost many times as much, and other variants prove the other tests.
    elif variant.cwe in {None, *(test.cwe for test in suites.security if test.id in failing)}:
        named = {name for spec in task.spec.variants for name in spec.fails}
        tests = tuple(
            test for test in suites.security if test.id in failing or test.id not in named
        )
    else:
        tests = suites.security
    return replace(task, suites=suites.model_copy(update={"security": tests}))


def _variant(variant: VariantSpec, result: SampleResult, caught: Iterable[str]) -> Iterator[str]:
    for name in variant.fails:
        if name not in caught:
            yield f"{variant.file}: passes {name}, which it is to fail"
    if variant.kind == "insecure":
        yield from (
            f"{variant.file}: {test.id}: {test.verdict}: {test.reason}"
            for test in result.tests
            if test.kind == "functional" and test.verdict is not OracleVerdict.PASS
        )
        named = {test.cwe for test in result.tests if test.verdict is OracleVerdict.FAIL}
        if variant.cwe and variant.cwe not in named:
            yield f"{variant.file}: no test for {variant.cwe} fails on it"


def _failing(result: SampleResult, kind: Kind) -> set[str]:
    return {t.id for t in result.tests if t.kind == kind and t.verdict is OracleVerdict.FAIL}


def _not_passed(result: SampleResult) -> Iterator[str]:
    if result.state is not State.USABLE:
        yield f"{result.state}: {result.why}"
        return
    for test in result.tests:
        if test.verdict is not OracleVerdict.PASS:
            yield f"{test.id}: {test.verdict}: {test.oracle}: {test.reason}"


def _score_sample(scorer: ProgramScorer, sample: Sample) -> SampleResult:
    result = scorer.score(sample)
    if result.health != "ok":
        raise _Infra(result.why)
    return result
