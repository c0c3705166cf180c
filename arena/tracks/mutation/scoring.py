"""What scoring suites takes: the test runner, the mutants of a dataset or our operators, a classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from arena.tracks.mutation.classify import RunsTests, load_classifier
from arena.tracks.mutation.runner.pool import RunnerFault, TestRunner
from arena.tracks.mutation.score import MutantsOf, SuiteScorer, stored_mutants
from arena.tracks.mutation.tasks.program import Program
from harness.extras import need
from harness.grade.ports import ResultCache
from harness.sandbox.base import EngineUnavailable


def kind_of_mutants(text: str, programs: Sequence[Program]) -> str:
    """stored or ours; "": stored where there are any. Raises ValueError."""
    kind = text or ("stored" if any(program.mutants for program in programs) else "ours")
    if kind not in ("stored", "ours"):
        raise ValueError(f"options.mutants: {kind!r} is neither stored nor ours")
    if kind == "stored" and not any(program.mutants for program in programs):
        raise ValueError("options.mutants: the dataset holds no stored mutants; use ours")
    return kind


@contextmanager
def open_bed(workers: int) -> Iterator[TestRunner]:
    """The test runner. Raises MissingExtra, and EngineUnavailable with what is missing."""
    need("mutation")
    if missing := TestRunner.available():
        raise EngineUnavailable(missing)
    with TestRunner(workers=workers) as runner:
        yield runner


def make_scorer(runner: RunsTests, classifier: str, kind: str, cache: ResultCache) -> SuiteScorer:
    """kind: of mutants, stored or ours. Raises UnknownName for a classifier."""
    mutants_of: MutantsOf = stored_mutants
    if kind == "ours":
        from arena.tracks.mutation.oracle.prove import Prover
        from arena.tracks.mutation.proven import our_mutants

        mutants_of = our_mutants(Prover(runner), cache)
    judge = load_classifier(classifier)
    return SuiteScorer(runner, judge, classifier, mutants_of, cache, (RunnerFault,))
