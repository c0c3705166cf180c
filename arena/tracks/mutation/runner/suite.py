"""Runs the tests of an imported test module, and says of each how it ended.

Every function that decides is taken before hostile code is imported; what a test module does to `pytest`,
`unittest` or `builtins` afterwards can only fail its tests, not turn a failure into a pass.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from inspect import CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from pathlib import PurePath
from types import FunctionType, ModuleType, TracebackType
from typing import Any
from unittest import SkipTest, TestCase

import pytest

from arena.tracks.mutation.runner import texts, warm
from arena.tracks.mutation.runner.facts import EndOfTest

MAX_ERROR = 16_000
_clock = time.perf_counter
_settrace, _setprofile = sys.settrace, sys.setprofile
_SKIPS: tuple[type[BaseException], ...] = (pytest.skip.Exception, SkipTest)
_XFAIL: tuple[type[BaseException], ...] = (pytest.xfail.Exception,)
# By the slot of BaseException: a subclass may define a property `__traceback__` that names another frame.
_TRACE = BaseException.__dict__["__traceback__"].__get__
# Names that change how pytest collects or runs a module.
_SPECIAL = frozenset(
    (
        *("pytestmark", "pytest_generate_tests", "__test__", "load_tests", "setup", "teardown"),
        *("setup_module", "teardown_module", "setup_function", "teardown_function"),
        *("setUpModule", "tearDownModule"),
    )
)
_NOT_PLAIN = CO_COROUTINE | CO_GENERATOR | CO_VARARGS | CO_VARKEYWORDS
_FIXTURE: type = type(pytest.fixture(lambda: None))
_PASSED = ("_pytest", "pluggy", "unittest", "stand_ins.py")
_WHOSE = {"test_generated.py": "test", "target_module.py": "program"}


@dataclass
class SuiteEnded:
    """How a test ended."""

    outcome: EndOfTest
    error: str = ""
    kind: str = ""
    bases: tuple[str, ...] = ()
    where: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class SuiteFault:
    """What a phase raised."""

    phase: str
    error: BaseException


def _is(error: BaseException, kinds: tuple[type[BaseException], ...]) -> bool:
    """isinstance, by the true class: an object may lie about its __class__."""
    return any(kind in texts.bases(type(error)) for kind in kinds)


def error_line(error: BaseException, limit: int = MAX_ERROR) -> str:
    """ "Type: message", as pytest words it."""
    return f"{texts.kind(error)}: {texts.message(error, limit)}"


def whose(trace: TracebackType | None) -> str:
    """Whose code raised: the deepest frame that belongs neither to pytest nor to the runner."""
    owner = "other"
    while trace is not None:
        path = PurePath(trace.tb_frame.f_code.co_filename)
        if path.name in _WHOSE:
            owner = _WHOSE[path.name]
        elif path.parent.name != "runner" and not any(part in path.parts for part in _PASSED):
            owner = "other"
        trace = trace.tb_next
    return owner


class PlainObject:
    """A test function that needs nothing of pytest: no arguments, no marks. Stands for a pytest item."""

    def __init__(self, name: str, function: FunctionType, config: Any) -> None:
        self.name, self.function, self.config, self.ihook = name, function, config, config.hook


def plain_items(module: ModuleType, config: Any) -> list[PlainObject]:
    """The tests of a module that holds nothing but plain test functions; [] for a different module."""
    items = []
    for name, value in vars(module).items():
        if name in _SPECIAL or (isinstance(value, type) and _holds_tests(name, value)):
            return []
        # pytest's fixture is an object, of a class without a public name since pytest 8.4.
        if isinstance(value, _FIXTURE):
            return []
        # pytest's default `python_functions` is the prefix "test", so a name such as `testing` counts too.
        if name.startswith("test") and callable(value):
            if not _is_plain(value):
                return []
            items.append(PlainObject(name, value, config))
    return items


def _holds_tests(name: str, kind: type) -> bool:
    return name.startswith("Test") or issubclass(kind, TestCase)


def _is_plain(value: Any) -> bool:
    # Marks of pytest stand in the function's `__dict__`, as do attributes of decorators such as `mock.patch`.
    if type(value) is not FunctionType or value.__dict__:
        return False
    code = value.__code__
    return not (code.co_argcount or code.co_kwonlyargcount or code.co_flags & _NOT_PLAIN)


def run_plain(item: PlainObject) -> SuiteEnded:
    """Run a plain test. Nothing that it raises leaves this function."""
    started = _clock()
    explain = _EXPLAIN(item)
    next(explain)
    try:
        fault = _caught("call", lambda: _call(item))
    finally:
        explain.close()
    ended = SuiteEnded(EndOfTest.PASSED) if fault is None else _end_by_error(None, fault)
    ended.seconds = _clock() - started
    return ended


def _call(item: PlainObject) -> None:
    result = item.function()
    # As pytest does for a call that returns an awaitable: the test's body has not run, so it must not pass.
    if hasattr(result, "__await__") or hasattr(result, "__aiter__"):
        pytest.fail("async def functions are not natively supported", pytrace=False)
    if result is not None:
        warnings.warn(
            f"{item.name} returned a value", pytest.PytestReturnNotNoneWarning, stacklevel=1
        )


def run_item(
    session: warm.WarmSession, item: pytest.Item, following: pytest.Item | None
) -> SuiteEnded:
    """Run a test with its set-up and tear-down. Nothing that it raises leaves this function."""
    started = _clock()
    faults = list(_phases(session, item, following))
    ended = _decide_end(item, faults)
    ended.seconds = _clock() - started
    return ended


def _phases(
    session: warm.WarmSession, item: pytest.Item, following: pytest.Item | None
) -> Iterator[SuiteFault]:
    hooks = item.config.hook
    marks = any(True for _ in item.iter_markers(name="filterwarnings"))
    explain = _EXPLAIN(item)
    next(explain)
    try:
        with _FILTERED(item) if marks else nullcontext():
            fault = _caught("setup", lambda: hooks.pytest_runtest_setup(item=item))
            if fault is None:
                # What failed in a sub-test of an earlier item must not count here.
                session.subtests.raised.clear()
                fault = _caught("call", lambda: hooks.pytest_runtest_call(item=item))
                # unittest keeps errors in its result object, and `runtest` returns normally; pytest fetches
                # them later.
                yield from (SuiteFault("call", e) for e in _COLLECTED(item))
                yield from (SuiteFault("call", e) for e in session.subtests.raised)
            if fault is not None:
                yield fault
            # Also after a failed set-up, or the fixtures that were set up would stay for the next test.
            last = _caught(
                "teardown", lambda: hooks.pytest_runtest_teardown(item=item, nextitem=following)
            )
            if last is not None:
                yield last
    finally:
        explain.close()


_EXPLAIN, _FILTERED, _COLLECTED = (
    warm.explanations,
    warm.filtered_warnings,
    warm.collected_faults,
)
_XMARK = warm.expected_failure


def _caught(phase: str, action: Callable[[], Any]) -> SuiteFault | None:
    try:
        action()
    except BaseException as error:  # noqa: BLE001 - a test may raise anything; all of it is its outcome
        _settrace(None)  # a trace function could go on into the frames that decide
        _setprofile(None)
        return SuiteFault(phase, error)
    return None


def _decide_end(item: pytest.Item, faults: list[SuiteFault]) -> SuiteEnded:
    called = [f for f in faults if f.phase == "call"]
    # A sub-test that was skipped must not hide one that failed.
    real = [f for f in called if not _is(f.error, _SKIPS)] or called
    first = next((f for f in faults if f.phase == "setup"), real[0] if real else None)
    last = next((f for f in faults if f.phase == "teardown"), None)
    ended = _end_of_phase(item, first)
    # A failure of the call itself stays; a test that passed and then fails in its tear-down has not passed.
    if last is not None and ended.outcome is not EndOfTest.FAILED:
        return _describe_end(EndOfTest.ERROR, last.error)
    return ended


def _end_of_phase(item: pytest.Item, fault: SuiteFault | None) -> SuiteEnded:
    mark = _XMARK(item)
    if fault is None:
        if mark is None:
            return SuiteEnded(EndOfTest.PASSED)
        if mark.strict:
            reason = texts.cut(mark.reason, 1000)
            error = f"Failed: [XPASS(strict)] {reason}"
            return SuiteEnded(EndOfTest.FAILED, error, "Failed", where="test")
        return SuiteEnded(EndOfTest.XPASSED)
    return _end_by_error(mark, fault)


def _end_by_error(mark: Any, fault: SuiteFault) -> SuiteEnded:
    if _is(fault.error, _SKIPS):
        return _describe_end(EndOfTest.SKIPPED, fault.error)
    if _is(fault.error, _XFAIL) or (mark is not None and _is_expected(mark, fault.error)):
        return _describe_end(EndOfTest.XFAILED, fault.error)
    return _describe_end(
        EndOfTest.ERROR if fault.phase == "setup" else EndOfTest.FAILED, fault.error
    )


def _is_expected(mark: Any, error: BaseException) -> bool:
    raises = mark.raises
    if raises is None:
        return True
    return bool(
        isinstance(error, raises) if isinstance(raises, (type, tuple)) else raises.matches(error)
    )


def _describe_end(outcome: EndOfTest, error: BaseException) -> SuiteEnded:
    # Without the class itself, which `kind` gives, and without `object`; twenty bound a class that a test
    # makes up.
    bases = tuple(texts.name(k) for k in texts.bases(type(error))[1:-1][:20])
    trace = _TRACE(error)
    return SuiteEnded(outcome, error_line(error), texts.kind(error), bases, whose(trace))
