"""The runner's observation of a test -> its result: all its oracles judge, the first not to pass decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arena.models.languages import Language
from arena.tracks.dual.languages.orders import allowed_of
from arena.tracks.dual.oracles._checked import check_parameters, judge, oracle_of
from arena.tracks.dual.oracles._oracle import OracleCase, OracleVerdict
from arena.tracks.dual.results import OracleResult, TestResult
from arena.tracks.dual.runner.observation import ProcessEnded, RunObservation
from arena.tracks.dual.tasks.pack import DualTask, Kind
from arena.tracks.dual.tasks.schema import Expectation, TestSpec
from tasks.loader import TaskError

SURVIVES = Expectation(oracle="survives")
# A test that could not be run outweighs a failure, and `na` outweighs a pass: a test that is only half judged
# has not passed.
# The first of these that any oracle came to is the test's.
ORDER = (OracleVerdict.ERROR, OracleVerdict.FAIL, OracleVerdict.NA, OracleVerdict.PASS)
MAX_TEXT = 4_000

# A model's verdict about a test whose task asks for one.
AskJudge = Callable[[TestSpec, RunObservation], OracleResult]


@dataclass(frozen=True)
class TriedProgram:
    """A test that was run: its observation, and `twin` of a second run with the same seed if needed."""

    task: DualTask
    kind: Kind
    test: TestSpec
    language: Language
    observation: RunObservation
    twin: RunObservation | None = None
    hooked: bool = True


def expectations(kind: Kind, test: TestSpec) -> tuple[Expectation, ...]:
    """All oracles of a test; a security test also asks that the program survives, unless it says not."""
    expected = test.expect
    # A program that crashes on an attack has not refused it, and what else the oracles look for is then
    # absent too.
    if kind == "security" and test.survives and (expected or test.judge):
        return (SURVIVES, *expected)
    return expected


def needs_twin(test: TestSpec) -> bool:
    return any(oracle_of(expectation.oracle).twin for expectation in test.expect)


def check_task(task: DualTask) -> None:
    """Raises TaskError for an oracle that there is not, or a parameter that it does not have."""
    for _, test in task.tests:
        for item in test.expect:
            try:
                check_parameters(oracle_of(item.oracle), item.parameters)
            except (LookupError, ValueError) as error:
                where = f"{task.folder / 'tests.json'}: {test.id}: {item.oracle}"
                raise TaskError(f"{where}: {error}") from error


def judge_test(tried: TriedProgram, ask_judge: AskJudge | None = None) -> TestResult:
    """The result of a test: `na` without any oracle, or if a model should judge and there is none."""
    results = [
        _judge_expectation(tried, expectation)
        for expectation in expectations(tried.kind, tried.test)
    ]
    if tried.test.judge:
        unasked = OracleResult(
            oracle="judge", verdict=OracleVerdict.NA, reason="no model was asked"
        )
        results.append(ask_judge(tried.test, tried.observation) if ask_judge else unasked)
    if not results:
        return result(
            tried.kind, tried.test, OracleVerdict.NA, "", tried.test.untyped or "no oracle"
        )
    verdict = next(v for v in ORDER if any(oracle_result.verdict is v for oracle_result in results))
    deciding = next(oracle_result for oracle_result in results if oracle_result.verdict is verdict)
    names = (
        "+".join(oracle_result.oracle for oracle_result in results)
        if verdict is OracleVerdict.PASS
        else deciding.oracle
    )
    return TestResult(
        id=tried.test.id,
        kind=tried.kind,
        verdict=verdict,
        oracle=names,
        observed=deciding.observed if verdict is not OracleVerdict.PASS else results[-1].observed,
        reason=deciding.reason,
        cwe=tried.test.cwe,
        oracles=tuple(results),
        seconds=tried.observation.seconds,
    )


def result(
    kind: Kind, test: TestSpec, verdict: OracleVerdict, oracle: str, reason: str
) -> TestResult:
    """A result without any observation."""
    return TestResult(
        id=test.id,
        kind=kind,
        verdict=verdict,
        oracle=oracle,
        reason=storable(reason),
        cwe=test.cwe,
    )


def storable(text: str) -> str:
    """A hostile text as a record may hold it: cut, and without halves of letters, which UTF-8 cannot have."""
    # Cut twice, since a replaced character becomes several.
    return text[:MAX_TEXT].encode("utf-8", "backslashreplace").decode()[:MAX_TEXT]


def _judge_expectation(tried: TriedProgram, expectation: Expectation) -> OracleResult:
    case = OracleCase(
        observation=tried.observation,
        parameters=expectation.parameters,
        step=-1 if expectation.step is None else expectation.step,
        twin=tried.twin,
        allowed=allowed_of(tried.task),
        language=tried.language,
        hooked=tried.hooked,
    )
    if tried.observation.ended is ProcessEnded.NO_START:
        return OracleResult(
            oracle=expectation.oracle,
            verdict=OracleVerdict.ERROR,
            reason=storable(tried.observation.why),
        )
    judgement = judge(expectation.oracle, case)
    return OracleResult(
        oracle=expectation.oracle,
        verdict=judgement.verdict,
        observed=storable(judgement.observed),
        reason=storable(judgement.reason),
    )
