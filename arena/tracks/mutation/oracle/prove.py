"""The search for an exploit: a call that succeeds as an attack on the mutant and fails on the secure program.

All calls of a program go in a single run, which costs little and may leave state behind; a call that looks
like a success then runs alone, on both programs, and only that counts. Where none of our calls succeeds, the
calls of the program's tests are examined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any, Protocol

from arena.tracks.mutation.operators._operator import Operator
from arena.tracks.mutation.oracle.calls import calls_to_try, module_of
from arena.tracks.mutation.oracle.refusals import is_refusal
from arena.tracks.mutation.oracle.relevance import beyond, relevant
from arena.tracks.mutation.oracle.witnesses import WitnessSeen, witness
from arena.tracks.mutation.runner.facts import MockCall, RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import RunLimits, SuiteJob
from arena.tracks.mutation.tasks.program import Program

SEARCH = RunLimits(seconds=6.0, cpu=6.0)
ALONE = RunLimits(seconds=4.0, cpu=4.0)
REPEATED = "repeated"
# Calls that are made alone for one mutant before the search gives up.
MAX_CONFIRMED_CALLS = 4


class RunsJobs(Protocol):
    def run(self, job: SuiteJob) -> RunResult: ...


# Fields that stored results name otherwise.
_JSON_NAMES = {"report": "seen", "source": "found_by"}


@dataclass(frozen=True)
class ExploitOracle:
    """Evidence that a mutant is weak.

    exploit: a test module that makes the call (it asserts nothing, unless it is a test of the program).
    witness: the name of the witness. report: its report. mutant, secure: the call as it ended on each.
    source: "attack" for a call of ours, "tests" for a call of the program's tests.
    """

    exploit: str
    call: str
    witness: str
    report: str
    source: str
    mutant: MockCall
    secure: MockCall

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {_JSON_NAMES.get(name, name): value for name, value in asdict(self).items()}


# (witness, its report, the call on the mutant, the call on the secure program).
Effect = tuple[str, str, MockCall, MockCall]


def pairs(
    mutant_outcome: TestOutcome,
    secure_outcome: TestOutcome,
    mutant_code: str,
    secure_code: str,
    planted: tuple[str, ...] = (),
) -> Iterator[WitnessSeen]:
    """Calls of the same test on both programs, as long as they are the same.

    Events of the whole test count as those of its only call. planted: see `WitnessSeen`.
    """
    single = len(mutant_outcome.calls) == len(secure_outcome.calls) == 1
    for on_mutant, on_secure in zip(mutant_outcome.calls, secure_outcome.calls, strict=False):
        # From here on the two runs went different ways, and their calls no longer belong together.
        if on_mutant.function != on_secure.function:
            return
        yield WitnessSeen(
            on_mutant,
            on_secure,
            mutant_outcome.events if single else on_mutant.events,
            secure_outcome.events if single else on_secure.events,
            mutant_code,
            secure_code,
            planted,
        )


def compare(
    witnesses: tuple[str, ...],
    mutant_outcome: TestOutcome,
    secure_outcome: TestOutcome,
    mutant_code: str,
    secure_code: str,
    planted: tuple[str, ...] = (),
) -> Iterator[Effect]:
    """Calls of the same test, run on both, that a witness reports as successful attacks."""
    for pair in pairs(mutant_outcome, secure_outcome, mutant_code, secure_code, planted):
        for name in witnesses:
            if detail := witness(name)(pair):
                yield name, detail, pair.mutant, pair.secure
    if REPEATED in witnesses:
        yield from _compare_repeats(mutant_outcome.calls, secure_outcome.calls)


def _compare_repeats(
    mutant_calls: tuple[MockCall, ...], secure_calls: tuple[MockCall, ...]
) -> Iterator[Effect]:
    """A call that, run twice, returns the same on the mutant, and different results on the secure program."""
    before: dict[tuple[str, str], tuple[MockCall, MockCall]] = {}
    for on_mutant, on_secure in zip(mutant_calls, secure_calls, strict=False):
        first = before.setdefault((on_mutant.function, on_mutant.arguments), (on_mutant, on_secure))
        same = first[0].returned == on_mutant.returned and not on_mutant.raised
        if same and on_secure.returned and first[1].returned != on_secure.returned:
            message = f"two calls both give {(on_mutant.returned or '')[:80]}"
            yield REPEATED, message, on_mutant, on_secure


def _has_slip(program: Program, code: str, mutant_call: MockCall, secure_call: MockCall) -> bool:
    """Whether a call ended in a slip, such as a TypeError, on either of the two: its arguments were wrong."""
    ended = ((mutant_call, code), (secure_call, program.secure))
    return any(call.raised and not is_refusal(call, source) for call, source in ended)


def _ended_alike(mutant_call: MockCall, secure_call: MockCall) -> bool:
    return (mutant_call.raised, mutant_call.returned) == (secure_call.raised, secure_call.returned)


def _is_unclear(program: Program, code: str, oracle: ExploitOracle) -> bool:
    """Whether a clearer exploit is worth looking for: this exploit ends in a slip, or fails alike on both."""
    mutant_call, secure_call = oracle.mutant, oracle.secure
    failed = bool(mutant_call.raised) and _ended_alike(mutant_call, secure_call)
    return failed or _has_slip(program, code, mutant_call, secure_call)


class Prover:
    """Finds exploits; remembers the runs of secure programs. Safe to use from several threads."""

    def __init__(self, runner: RunsJobs) -> None:
        self.bed = runner
        self._known: dict[tuple[str, str], RunResult] = {}
        self._lock = Lock()

    def prove(self, program: Program, operator: Operator, code: str) -> ExploitOracle | None:
        """An exploit of the mutant `code`, or None when the search has none."""
        calls = calls_to_try(program, operator.attacks)
        promising = self._promising(program, operator, code, calls)
        best: ExploitOracle | None = None
        for call in list(promising)[:MAX_CONFIRMED_CALLS]:
            if (oracle := self.probe_call(program, operator, code, call)) is not None:
                if not _is_unclear(program, code, oracle):
                    return oracle
                best = best or oracle
        for tests in (program.security_tests, program.functional_tests):
            for test, difference in self._differing(program, operator, code, tests):
                oracle = ExploitOracle(
                    tests, test, difference[0], difference[1], "tests", difference[2], difference[3]
                )
                if not _is_unclear(program, code, oracle):
                    return oracle
                best = best or oracle
        return best

    def _promising(
        self, program: Program, operator: Operator, code: str, calls: list[str]
    ) -> dict[str, None]:
        """Calls that succeed when all run in the same process: clear calls first, then by witness."""
        tests = module_of(program, calls, REPEATED in operator.witnesses)
        differing = self._differing(program, operator, code, tests)
        result = {calls[int(test.removeprefix("test_"))]: None for test, _ in differing}
        if "slow" in operator.witnesses:
            run = self.bed.run(SuiteJob(code, tests, SEARCH))
            # The run ended in the call behind the last reported one: that is the one which took all the time.
            if run.stopped is not Stopped.FINISHED and len(run.tests) < len(calls):
                result.setdefault(calls[len(run.tests)])
        return result

    def probe_call(
        self, program: Program, operator: Operator, code: str, call: str
    ) -> ExploitOracle | None:
        """The result of a call that runs alone, in a separate process, on both programs."""
        tests = module_of(program, [call], REPEATED in operator.witnesses)
        for _, difference in self._differing(program, operator, code, tests, ALONE):
            return ExploitOracle(
                tests, call, difference[0], difference[1], "attack", difference[2], difference[3]
            )
        if "slow" not in operator.witnesses:
            return None
        secure_run = self._secure(program, tests, ALONE)
        run = self.bed.run(SuiteJob(code, tests, ALONE))
        if (
            run.stopped is Stopped.TIMEOUT
            and secure_run.stopped is Stopped.FINISHED
            and secure_run.tests
        ):
            ended = MockCall(program.entry_point, call, text=f"no end within {ALONE.seconds:g} s")
            before = next(iter(secure_run.tests[0].calls), MockCall(program.entry_point, call))
            return ExploitOracle(tests, call, "slow", ended.text, "attack", ended, before)
        return None

    def _differing(
        self,
        program: Program,
        operator: Operator,
        code: str,
        tests: str,
        limits: RunLimits = SEARCH,
    ) -> list[tuple[str, Effect]]:
        """(test, its difference) for the tests in which an attack succeeds on the mutant only.

        Clear ones come first, then those of an operator's first witnesses.
        """
        rank = {name: place for place, name in enumerate(operator.witnesses)}

        def order(entry: tuple[str, Effect]) -> tuple[bool, int, bool, bool]:
            name, _, mutant_call, secure_call = entry[1]
            alike, failed = _ended_alike(mutant_call, secure_call), bool(mutant_call.raised)
            return _has_slip(program, code, mutant_call, secure_call), rank[name], alike, failed

        return sorted(self._succeeding(program, operator, code, tests, limits), key=order)

    def _succeeding(
        self, program: Program, operator: Operator, code: str, tests: str, limits: RunLimits
    ) -> Iterator[tuple[str, Effect]]:
        if not tests:
            return
        # The secure program's runs are cached: every mutant of a program is compared with the same ones.
        secure_outcomes = {test.name: test for test in self._secure(program, tests, limits).tests}
        for mutant_outcome in self.bed.run(SuiteJob(code, tests, limits)).tests:
            if mutant_outcome.name in secure_outcomes:
                comparison = compare(
                    operator.witnesses,
                    mutant_outcome,
                    secure_outcomes[mutant_outcome.name],
                    code,
                    program.secure,
                )
                about = (f for f in comparison if self._about(program, f))
                if (first := next(about, None)) is not None:
                    yield mutant_outcome.name, first

    def _about(self, program: Program, difference: Effect) -> bool:
        """Whether what a witness saw is an effect of the program's weakness for an attacker."""
        name, _, mutant_call, secure_call = difference
        if not relevant(program.cwe, name, mutant_call, secure_call, program.secure):
            return False
        if name != "granted":
            return True
        ordinary = self._secure(program, program.functional_tests, SEARCH).tests
        calls = [call for test in ordinary for call in test.calls]
        return beyond(program.cwe, mutant_call, calls, program.secure)

    def _secure(self, program: Program, tests: str, limits: RunLimits) -> RunResult:
        if not tests.strip():
            return RunResult(Stopped.FINISHED)
        key = (program.secure, tests)
        with self._lock:
            cached = self._known.get(key)
        if cached is None:
            # Outside of the lock: two threads may run the same, but none waits for another's run.
            cached = self.bed.run(SuiteJob(program.secure, tests, limits))
            with self._lock:
                self._known[key] = cached
        return cached
