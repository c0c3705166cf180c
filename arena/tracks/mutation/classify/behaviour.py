"""The default: a kill is judged by what happened while the test ran, and never by its wording.

A kill is *semantic* when a test

1. passes on the secure program every time, and on secure rewritings of it (different names, different words
   in refusals, a different strong algorithm, a source that cannot be read, a source in which the mutant's
   code stands and never runs ...), so that it tests the property and not an accident,
2. fails on the mutant every time, and
3. met the weakness while it failed: a call of the test is a successful attack (a witness of the operator
   distinguishes the mutant from the secure program, if need be when the call runs again without the test,
   which may have put a stub in a library's place), or its input broke a statement in which it stands, or what
   it looks at shows the weakness and differs from the secure program's: a mock's state, or what the program
   handed to a stand-in of the test (see `_meeting.py`).

Else the kind of failure decides: a missing exception or a different type is *functional*, an assertion
*incidental*, an error before any assertion a *crash*; the rest is unclassified. The best over all tests wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock

from arena.tracks.mutation.classify import Category, Kill, RunsTests
from arena.tracks.mutation.classify._meeting import is_useless_call, list_encounters, mechanism
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.operators._operator import Operator
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.oracle.remade import sources
from arena.tracks.mutation.rewriting import mentioning, rewritings
from arena.tracks.mutation.runner.facts import EndOfTest, RunResult, Stopped, TestOutcome
from arena.tracks.mutation.runner.job import SuiteJob

# SecMutBench's kinds of crash, and those that are slips in the same way.
CRASHES = frozenset(
    {
        *("TypeError", "NameError", "UnboundLocalError", "AttributeError", "ImportError"),
        *(
            "ModuleNotFoundError",
            "SyntaxError",
            "IndentationError",
            "RecursionError",
            "MemoryError",
        ),
        *("KeyError", "IndexError", "OverflowError", "UnicodeDecodeError", "UnicodeEncodeError"),
    }
)

# With the scored run that makes three: a coin passes all three in one of eight cases, and must fail twice on
# the mutant besides.
# How often more a suite must pass on the secure program.
REPEATS = 2
# Each repeated call is two more runs; a suite may make thousands of calls.
# Calls of a kill's tests that are made again, at most.
REMADE = 3


@dataclass(frozen=True)
class Unsteady:
    """Tests of a suite that do not hold on secure programs: name -> why."""

    tests: dict[str, str]


class BehaviourClassifier:
    """Judges kills; remembers for each suite which tests reject secure rewritings. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Unsteady] = {}
        self._provers: dict[RunsTests, Prover] = {}
        self._lock = Lock()

    def classify(self, kill: Kill) -> tuple[Category, str]:
        """Category and reason. Raises what the runner raises."""
        operator = operator_of(kill.mutant.operator)
        if kill.run.stopped is not Stopped.FINISHED:
            return self._classify_unfinished(kill, operator)
        passed_on_secure = {t.name: t for t in kill.secure.tests if t.outcome is EndOfTest.PASSED}
        failing = [test for test in kill.run.failing() if test.name in passed_on_secure]
        if not failing:
            return Category.UNCLASSIFIED, "no test failed that passes on the secure program"
        against = {**self._fails_again(kill), **self._unsteady(kill, operator).tests}
        steady = [test for test in failing if test.name not in against]
        encounters = (
            self._find_encounters(steady, passed_on_secure, kill, operator)
            if operator is not None
            else {}
        )
        # Only asked where a test could count as semantic, since it takes a further run.
        if encounters:
            against |= self._minding_text(kill)
        verdicts = [
            _verdict(test, against.get(test.name, ""), encounters.get(test.name, ""))
            for test in failing
        ]
        return min(verdicts, key=lambda verdict: list(Category).index(verdict[0]))

    def _find_encounters(
        self,
        tests: list[TestOutcome],
        passed_on_secure: dict[str, TestOutcome],
        kill: Kill,
        operator: Operator,
    ) -> dict[str, str]:
        """Tests that met the weakness: name -> evidence. Calls are repeated only where no call met it."""
        result: dict[str, str] = {}
        for test in tests:
            sources_of = kill.mutant.code, kill.program.secure, kill.tests
            if encounter := next(
                list_encounters(operator, test, passed_on_secure[test.name], *sources_of), ""
            ):
                result[test.name] = encounter
        if result:
            return result
        # Reversed, so that of several tests with the same call the first one is named.
        calls = {call: test.name for test in reversed(tests) for call in sources(test)}
        for call in list(calls)[:REMADE]:
            oracle = self._prover(kill.runner).probe_call(
                kill.program, operator, kill.mutant.code, call
            )
            if oracle is None or is_useless_call(oracle.mutant, oracle.secure):
                continue
            if not mechanism(oracle.witness):
                return {calls[call]: f"{oracle.report} ({oracle.witness}, the call made again)"}
        return {}

    def _minding_text(self, kill: Kill) -> dict[str, str]:
        """Tests that fail where the mutant's code only stands: name -> why that counts against them."""
        code = mentioning(kill.program.secure, kill.mutant.code)
        if not code:
            return {}
        run = kill.runner.run(SuiteJob(code, kill.tests))
        passed = {t.name for t in kill.secure.tests if t.outcome is EndOfTest.PASSED}
        return dict.fromkeys(
            passed - _passing(run),
            "fails on the secure program too, once the mutant's code stands in it unused",
        )

    def _classify_unfinished(self, kill: Kill, operator: Operator | None) -> tuple[Category, str]:
        """A run on the mutant that was cut. Only where time is the weakness does that show the weakness."""
        stopped, error = kill.run.stopped, kill.run.error
        if stopped is Stopped.UNCOLLECTED:
            return Category.CRASH, f"the mutant cannot be imported: {error}"
        if stopped is Stopped.TIMEOUT and operator is not None and "slow" in operator.witnesses:
            if self._suite_unsteady(kill, operator):
                return Category.INCIDENTAL, "the suite does not hold on secure programs each time"
            return Category.SEMANTIC, "the attack took all the time that there was"
        return Category.UNCLASSIFIED, f"the run on the mutant ended with {stopped}: {error}"

    def _suite_unsteady(self, kill: Kill, operator: Operator) -> bool:
        passed = {t.name for t in kill.secure.tests if t.outcome is EndOfTest.PASSED}
        return passed <= set(self._unsteady(kill, operator).tests)

    def _fails_again(self, kill: Kill) -> dict[str, str]:
        """Tests that do not fail on the mutant a second time: name -> why that counts against them."""
        second = {
            test.name for test in kill.runner.run(SuiteJob(kill.mutant.code, kill.tests)).failing()
        }
        return {
            test.name: "does not fail on the mutant each time"
            for test in kill.run.failing()
            if test.name not in second
        }

    def _unsteady(self, kill: Kill, operator: Operator | None) -> Unsteady:
        key = (kill.program.digest, kill.tests, operator.name if operator else "")
        with self._lock:
            # The key has no mutant: how a test takes secure rewritings is the same for all mutants of the
            # program.
            cached = self._known.get(key)
        if cached is None:
            cached = Unsteady(self._minding(kill, operator))
            with self._lock:
                self._known[key] = cached
        return cached

    def _minding(self, kill: Kill, operator: Operator | None) -> dict[str, str]:
        passed = {t.name for t in kill.secure.tests if t.outcome is EndOfTest.PASSED}
        result: dict[str, str] = {}
        for _ in range(REPEATS):
            for name in passed - _passing(
                kill.runner.run(SuiteJob(kill.program.secure, kill.tests))
            ):
                result.setdefault(name, "does not pass on the secure program each time")
        for name, code in self._secure_rewritings(kill, operator):
            for test in passed - _passing(kill.runner.run(SuiteJob(code, kill.tests))):
                result.setdefault(test, f"fails on a secure rewriting of the program too ({name})")
        return result

    def _secure_rewritings(
        self, kill: Kill, operator: Operator | None
    ) -> Iterator[tuple[str, str]]:
        """Rewritings that import, pass the functional tests, and have no exploit."""
        prover = self._prover(kill.runner)
        for name, code in rewritings(kill.program.secure, operator):
            # General rewritings keep the behaviour, so the functional tests decide; an operator's own change
            # it on purpose, so only the lack of an exploit does.
            general = operator is None or name not in operator.alternatives
            if general and not self._works(kill, code):
                continue
            if general or (operator and prover.prove(kill.program, operator, code) is None):
                yield name, code

    def _works(self, kill: Kill, code: str) -> bool:
        tests = kill.program.functional_tests
        if not tests:
            return kill.runner.run(SuiteJob(code, "def test_imports():\n    pass\n")).has_passed
        return (
            # A functional suite that fails on the original as well can reject no rewriting.
            not kill.runner.run(SuiteJob(kill.program.secure, tests)).has_passed
            or kill.runner.run(SuiteJob(code, tests)).has_passed
        )

    def _prover(self, runner: RunsTests) -> Prover:
        with self._lock:
            return self._provers.setdefault(runner, Prover(runner))


def _verdict(test: TestOutcome, against: str, evidence: str) -> tuple[Category, str]:
    if against:
        return Category.INCIDENTAL, f"{test.name} {against}"
    if evidence:
        return Category.SEMANTIC, f"{test.name} failed where {evidence}"
    category, how = failure(test)
    return category, f"{test.name} {how}; it did not meet the weakness"


def failure(test: TestOutcome) -> tuple[Category, str]:
    """Category of a failure by its kind alone, and how it failed."""
    if "DID NOT RAISE" in test.error:
        return Category.FUNCTIONAL, "missed an exception that it expects"
    if test.kind == "AssertionError":
        return Category.INCIDENTAL, "failed on an assertion"
    if test.kind in CRASHES:
        return Category.CRASH, f"ended with {test.kind} before it could assert"
    return Category.UNCLASSIFIED, f"ended with {test.kind or test.outcome}"


def _passing(run: RunResult) -> set[str]:
    if run.stopped is not Stopped.FINISHED:
        return set()
    return {test.name for test in run.tests if test.outcome is EndOfTest.PASSED}


PLUGIN = BehaviourClassifier()
