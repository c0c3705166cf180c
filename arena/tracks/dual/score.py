"""Scores samples: each test of a candidate runs in a separate jail, and oracles judge the observation.

A sample's result is stored by content (task, candidate, scorer, request), so that nothing is run
twice and a run that was killed goes on where it stopped. A fault of the machine is never stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.models.languages import Language
from arena.tracks.dual.judging import TriedProgram, judge_test, needs_twin, result, storable
from arena.tracks.dual.languages.orders import order_of, unwrap_script
from arena.tracks.dual.languages.plan import Adapter, Candidate, RunnerResources, RunPlan, Unusable
from arena.tracks.dual.languages.tools import version_of
from arena.tracks.dual.oracles._oracle import OracleVerdict
from arena.tracks.dual.results import OracleResult, SampleResult, State, TestResult
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation
from arena.tracks.dual.runner.testing import SUITE
from arena.tracks.dual.tasks.pack import DualTask, Kind
from arena.tracks.dual.tasks.schema import TestSpec
from arena.tracks.dual.version import SCORER
from harness.grade.ports import ResultCache, digest_of
from parsers.registry import lookup
from tasks.loader import TaskError

ADAPTERS = "arena.tracks.dual.languages.adapters"
STATES = frozenset(map(str, State))

Assess = Callable[[DualTask, TestSpec, Candidate, RunObservation], OracleResult]
# The agentic executor: finds a plan for what the adapters cannot start, or raises Unusable.
Fallback = Callable[[DualTask, Candidate, RunnerResources, str], RunPlan]


@dataclass(frozen=True)
class Sample:
    """A program for a task, or the lack of it: then `state` and `why` give the reason."""

    task: DualTask
    name: str
    language: Language
    candidate: Candidate | None = None
    state: State = State.USABLE
    why: str = ""


@dataclass(frozen=True)
class ProgramScorer:
    """Scores samples. `faults`: exceptions of the runner; `model_names` names the models, for the key."""

    means: RunnerResources
    cache: ResultCache
    faults: tuple[type[Exception], ...] = ()
    assess: Assess | None = None
    fallback: Fallback | None = None
    model_names: tuple[str, ...] = ()
    remember: bool = field(default=True)

    def score(self, sample: Sample) -> SampleResult:
        """The sample's result, from the store if it is there.

        Raises TaskError for a task with a test that cannot be converted: that is no program's fault.
        """
        if sample.candidate is None:
            return _unusable(sample, sample.state, sample.why)
        key = self._key(sample.task, sample.candidate)
        if self.remember and (fact := self.cache.fact(key)) is not None:
            return SampleResult.model_validate(fact).model_copy(update={"sample": sample.name})
        try:
            result = self._score_candidate(sample, sample.candidate)
        # A fault of the machine is neither a verdict nor stored (law 1).
        except self.faults as error:
            fault = f"{type(error).__name__}: {error}"[:2_000]
            return _unusable(sample, State.NOT_EXECUTABLE, fault).model_copy(
                update={"health": "infra"}
            )
        self.cache.put_fact(key, result.model_dump(mode="json"))
        return result

    def _key(self, task: DualTask, candidate: Candidate) -> str:
        tools = version_of(candidate.language)
        # A newer compiler, packages that are installed, or another judge may change a verdict.
        how = (
            tools,
            str(self.means.coverage),
            str(self.means.install is not None),
            *self.model_names,
        )
        return digest_of("dual-score", str(SCORER), task.digest, candidate.digest, *how)

    def _score_candidate(self, sample: Sample, candidate: Candidate) -> SampleResult:
        try:
            plan, first = self._plan_candidate(sample.task, candidate)
        except Unusable as error:
            unusable = _unusable(sample, State(error.state), error.why)
            agent_facts = {
                "calls": error.calls,
                "transcript": self._store_transcript(error.transcript),
            }
            return unusable.model_copy(update=agent_facts)
        results, ran = [], _Ran()
        for kind, test in sample.task.tests:
            if not _judgeable(test):
                results.append(result(kind, test, OracleVerdict.NA, "", _why_not(test)))
                continue
            run = _run_of(sample.task, test)
            observation = first.pop(run, None) or self._observe_test(sample.task, test, plan)
            # Tests for several CWEs may share a run; any other observation is dropped here, since it holds
            # whole file trees.
            if sample.task.spec.oracle is not None:
                first[run] = observation
            results.append(self._judge_test(sample.task, candidate, plan, kind, test, observation))
            ran.add(kind, observation)
        return SampleResult(
            task=sample.task.id,
            sample=sample.name,
            language=candidate.language,
            domain=sample.task.spec.domain,
            level=sample.task.spec.level,
            tests=tuple(results),
            coverage=ran.shares(),
            adapter=plan.adapter,
            tools=version_of(candidate.language),
            calls=plan.calls,
            transcript=self._store_transcript(plan.transcript),
            digest=candidate.digest,
        )

    def _store_transcript(self, transcript: Sequence[str]) -> str:
        """Store the dialogue with a model to start a candidate; returns its digest."""
        return self.cache.keep("\n\n".join(transcript).encode()) if transcript else ""

    def _plan_candidate(
        self, task: DualTask, candidate: Candidate
    ) -> tuple[RunPlan, dict[str, RunObservation]]:
        """A plan that was tried on the first test, with the observation of it."""
        try:
            adapter: Adapter = lookup(ADAPTERS, candidate.language)
            return self._try_plan(task, adapter(candidate, task.spec.io, self.means))
        except Unusable as error:
            # A suite that is code calls the program by its own driver, which no script of a model replaces.
            fallback = self.fallback if task.spec.oracle is None else None
            if fallback is None or error.state in ("syntax-error", "does-not-compile"):
                raise
            return self._try_plan(task, fallback(task, candidate, self.means, str(error)))

    def _try_plan(self, task: DualTask, plan: RunPlan) -> tuple[RunPlan, dict[str, RunObservation]]:
        first = next((test for _, test in task.tests if _judgeable(test)), None)
        if first is None:
            return plan, {}
        observation = self._observe_test(task, first, plan)
        if observation.ended is ProcessEnded.NO_START:
            state, _, why = observation.why.partition(": ")
            end_state = state if state in STATES else State.NOT_EXECUTABLE
            raise Unusable(end_state, why or observation.why)
        return plan, {_run_of(task, first): observation}

    def _observe_test(
        self, task: DualTask, test: TestSpec, plan: RunPlan, twin: bool = False
    ) -> RunObservation:
        twin = twin or needs_twin(test)
        try:
            order = order_of(task, test, plan, twin=twin, coverage=self.means.coverage)
            result = self.means.runner.run(order)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise TaskError(f"{task.folder / 'tests.json'}: {test.id}: {error}") from error
        # The suite did not load: that is the task's fault, and no program's.
        if result.ended is ProcessEnded.NO_START and result.why.startswith(SUITE):
            raise TaskError(f"{task.folder / 'oracle'}: {result.why}")
        return unwrap_script(plan, result)

    def _judge_test(
        self,
        task: DualTask,
        candidate: Candidate,
        plan: RunPlan,
        kind: Kind,
        test: TestSpec,
        observation: RunObservation,
    ) -> TestResult:
        twin = self._observe_test(task, test, plan, twin=True) if needs_twin(test) else None
        hooked = bool(plan.hooks)
        tried = TriedProgram(task, kind, test, candidate.language, observation, twin, hooked)
        assess = self.assess
        ask_judge = None if assess is None else (lambda t, s: assess(task, t, candidate, s))
        judged = judge_test(tried, ask_judge)
        return judged.model_copy(update={"evidence": self.cache.keep(evidence(observation))})


class _Ran:
    """Which statements ran, by kind of suite."""

    def __init__(self) -> None:
        self._ran: dict[str, set[tuple[str, int]]] = {}
        self._all: set[tuple[str, int]] = set()

    def add(self, kind: Kind, observation: RunObservation) -> None:
        ran = self._ran.setdefault(kind, set())
        for covered_file in observation.coverage:
            self._all |= {(covered_file.file, line) for line in covered_file.all}
            ran |= {(covered_file.file, line) for line in covered_file.ran}

    def shares(self) -> dict[str, float | None]:
        sets: Mapping[str, set[tuple[str, int]]] = {
            **self._ran,
            "both": set().union(*self._ran.values()),
        }
        return {
            kind: round(len(ran & self._all) / len(self._all), 4) if self._all else None
            for kind, ran in sets.items()
        }


def _unusable(sample: Sample, state: State, why: str) -> SampleResult:
    """Every test of a program that cannot be tried is an error: the denominator stays what it is."""
    reason = f"{state}: {why}" if why else str(state)
    return SampleResult(
        task=sample.task.id,
        sample=sample.name,
        language=sample.language,
        domain=sample.task.spec.domain,
        level=sample.task.spec.level,
        state=state,
        why=storable(why[:2_000]),
        tests=tuple(_errors(sample.task.tests, reason)),
        digest=sample.candidate.digest if sample.candidate else "",
    )


def _errors(tests: Iterator[tuple[Kind, TestSpec]], reason: str) -> Iterator[TestResult]:
    for kind, test in tests:
        if _judgeable(test):
            yield result(kind, test, OracleVerdict.ERROR, "executor", reason)
        else:
            yield result(kind, test, OracleVerdict.NA, "", _why_not(test))


def _judgeable(test: TestSpec) -> bool:
    """Whether an oracle or model can judge a test; a test that nothing can judge is not run."""
    return bool(test.expect or test.judge) and not test.lacks and not test.quarantined


def _run_of(task: DualTask, test: TestSpec) -> str:
    """Key of a test's run: several tests, for a CWE each, may judge a single run of a suite that is code."""
    return test.id if task.spec.oracle is None else str(test.steps)


def _why_not(test: TestSpec) -> str:
    quarantined = f"quarantined: {test.quarantined}" if test.quarantined else ""
    return quarantined or test.lacks or test.untyped or "no oracle"


def evidence(observation: RunObservation) -> bytes:
    """The observation, as JSON: of the trees only the differences. Secrets are named, not shown."""
    facts: dict[str, Any] = asdict(observation)
    for name in ("before", "after", "fetched", "coverage", "databases_before", "secrets"):
        del facts[name]
    facts["secrets"] = sorted(observation.secrets)
    facts["changed"] = {
        path: [
            asdict(file) if (file := tree.get(path)) else None
            for tree in (observation.before, observation.after)
        ]
        for path in sorted({*observation.before, *observation.after})
        if observation.before.get(path) != observation.after.get(path)
    }
    return json.dumps(_mask_tokens(facts, _tokens(observation)), sort_keys=True).encode()


def _tokens(observation: RunObservation) -> Sequence[str]:
    return [
        # Short words would mask ordinary text of the program's.
        word
        for text in observation.secrets.values()
        for word in text.split()
        if len(word) >= 16
    ]


def _mask_tokens(value: Any, tokens: Sequence[str]) -> Any:
    if isinstance(value, str):
        for token in tokens:
            value = value.replace(token, "<secret>")
        return value
    if isinstance(value, Mapping):
        return {_mask_tokens(k, tokens): _mask_tokens(v, tokens) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_mask_tokens(element, tokens) for element in value]
    return value
