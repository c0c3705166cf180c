"""The facts of a test run: how each test ended, and the events while it ran.

All of it comes out of a process that runs hostile code, so it is data to be checked, never code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class EndOfTest(StrEnum):
    """How a test ended. Set-up, tear-down and import faults are ERROR, not FAILED."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


class Stopped(StrEnum):
    """How a whole run ended. All but FINISHED leave tests without an outcome."""

    FINISHED = "finished"
    TIMEOUT = "timeout"
    DIED = "died"  # the process ended by itself: os._exit, a signal, a limit of memory or processes
    OUTPUT = "output"  # it reported more than it may
    UNCOLLECTED = "uncollected"  # the test module could not be imported, or holds no test


@dataclass(frozen=True)
class Event:
    """Something that a sensor saw happen; kinds are in `events.py`. `detail` is cut text."""

    kind: str
    detail: str = ""


@dataclass(frozen=True)
class Read:
    """A look at the observable state of a mock, such as `db.last_params`.

    `by_test` is False where the mock read its state itself (the original classifier counts those too).
    """

    area: str
    attribute: str
    value: str
    by_test: bool


@dataclass(frozen=True)
class MockCall:
    """A call from the test into the program's functions, outermost only (or a request to its app).

    `arguments` is the repr of (args, kwargs); `returned` the repr of the result, None when it raised;
    `raised` is the exception's type name and `text` its message. All are cut.
    """

    function: str
    arguments: str
    returned: str | None = None
    raised: str = ""
    text: str = ""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True)
class TestOutcome:
    """A test's result. `error` is "" or "Type: message"; `kind` the exception's type, `bases` its bases.

    `where` names the code that raised.
    `events` holds all events of the test, those inside calls too, in order.
    """

    __test__ = False  # not for pytest to collect

    name: str
    outcome: EndOfTest
    error: str = ""
    kind: str = ""
    bases: tuple[str, ...] = ()
    where: str = ""  # "test", "program", or "other": a library, or the mocks
    seconds: float = 0.0
    events: tuple[Event, ...] = ()
    reads: tuple[Read, ...] = ()
    calls: tuple[MockCall, ...] = ()


@dataclass(frozen=True)
class RunResult:
    """A test run: (program, test module) in a fresh process.

    `error` says why a run did not finish. `cpu` and `seconds` are those of the run's processes.
    `how` is "forked" by default and "pytest" where the module needs the whole of pytest.
    `where` says whose import failed in an uncollected run: "program" or "test".
    """

    stopped: Stopped
    tests: tuple[TestOutcome, ...] = ()
    error: str = ""
    cpu: float = 0.0
    seconds: float = 0.0
    how: str = "forked"
    where: str = ""

    @property
    def has_passed(self) -> bool:
        """The suite holds: it finished, some test passed, and none failed or met an error."""
        ended = {test.outcome for test in self.tests}
        bad = {EndOfTest.FAILED, EndOfTest.ERROR, EndOfTest.XPASSED}
        return self.stopped is Stopped.FINISHED and EndOfTest.PASSED in ended and not ended & bad

    @property
    def broke(self) -> bool:
        """Something failed or was cut; a suite that only skips does not pass, and breaks nothing."""
        bad = {EndOfTest.FAILED, EndOfTest.ERROR, EndOfTest.XPASSED}
        ended = any(test.outcome in bad for test in self.tests)
        return self.stopped is not Stopped.FINISHED or ended

    def failing(self) -> Iterator[TestOutcome]:
        """Tests that failed or met an error, in order."""
        return (t for t in self.tests if t.outcome in (EndOfTest.FAILED, EndOfTest.ERROR))
