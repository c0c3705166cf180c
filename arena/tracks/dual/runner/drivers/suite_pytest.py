"""Suites of pytest: tests with the marks `functionality` and `security`, over functions of a program.

What the module imports as `program` has the program's functions: each calls the program, through the driver
of its language. A test whose name shows that it tests the module's unsafe functions is no test of
a program.
"""

from __future__ import annotations

import builtins
import os
import signal
import sqlite3
import sys
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from call_values import Encoder, decode_value  # type: ignore[import-not-found]
from suite import Channel, describe_error

KINDS = {"functionality": "functional", "security": "security"}
INSECURE_TWIN = "_unsafe"
# No configuration of the host's, no cache folder, no plug-in: the suite alone decides.
QUIET = ("-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler", "-c", os.devnull)


class ProgramRaised(Exception):
    """An exception of the program, where it is no built-in exception of Python."""


class NoArgument(Exception):
    """An argument that cannot be passed to a program in a separate process."""


def load(
    folder: Path,
    module: str,
    program: str,
    channel: Channel,
    serve: Callable[[Any], None],
) -> None:
    """Collect the module, and serve its tests from inside pytest's session. Raises ImportError."""
    sys.modules[program] = _functions(program, channel)
    sys.modules["wrapt_timeout_decorator"] = _timeouts()
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.chdir(tempfile.gettempdir())
    suite = Suite(lambda: serve(suite))
    path = folder / f"{module.replace('.', '/')}.py"
    code = pytest.main([*QUIET, "--rootdir", str(folder), str(path)], [suite])
    raise ImportError(suite.failed or f"pytest collects no test (exit status {int(code)})")


class Suite:
    """A plugin of pytest that takes the place of its loop over the tests that it collected."""

    def __init__(self, serve: Callable[[], None]) -> None:
        self._serve, self._items, self.failed = serve, dict[str, tuple[str, Any]](), ""

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            lines = [line for line in str(report.longrepr).splitlines() if line.strip()]
            self.failed = (lines or ["not told"])[-1].removeprefix("E").strip()

    def pytest_runtestloop(self, session: Any) -> bool:
        for item in session.items:
            kind = next((kind for kind in KINDS if item.get_closest_marker(kind)), "")
            test_name = item.name.partition("[")[0]
            if (
                kind and INSECURE_TWIN not in test_name
            ):  # by number: a name may hold what changes from run to run
                self._items[f"{test_name}#{len(self._items)}"] = (kind, item)
        if self._items and not self.failed:
            self._serve()
        return True

    def list_tests(self) -> dict[str, Any]:
        tests = [
            {"test": name, "kind": KINDS[kind], "title": item.name, "cwes": []}
            for name, (kind, item) in self._items.items()
        ]
        return {"tests": tests, "facts": {}}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        entry = self._items.get(request["test"])
        if entry is None:
            return {"passed": None, "why": "the suite has no such test", "cwes": []}
        reports = _Reports()
        item = entry[1]
        item.config.pluginmanager.register(reports)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        except BaseException as error:  # noqa: BLE001 - pytest.exit, KeyboardInterrupt
            return {"passed": None, "why": describe_error(error), "cwes": []}
        passed = reports.has_passed if not isinstance(reports.error, NoArgument) else None
        return {"passed": passed, "why": reports.why, "cwes": []}


class _Reports:
    """pytest's reports on an item: every phase must pass."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self._phases: dict[str, str] = {}
        self.why = ""

    @property
    def has_passed(self) -> bool:
        return self._phases == dict.fromkeys(("setup", "call", "teardown"), "passed")

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None and not self.why:
            self.error = call.excinfo.value
            self.why = describe_error(self.error).splitlines()[0]

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._phases[report.when] = report.outcome


def _functions(name: str, channel: Channel) -> types.ModuleType:
    module = types.ModuleType(name)

    def get_function(function: str) -> Any:
        if function.startswith("__"):
            raise AttributeError(function)
        return lambda *args, **kwargs: _call_program(channel, function, args, kwargs)

    module.__getattr__ = get_function  # type: ignore[method-assign]
    return module


def _call_program(channel: Channel, name: str, args: Any, kwargs: Any) -> Any:
    """The program's answer. Raises its exception, by name where it is built into Python."""
    lent: list[tuple[Path, sqlite3.Connection]] = []
    request = {
        "call": name,
        "args": [_encode_value(arg, lent) for arg in args],
        "kwargs": {key: _encode_value(kwarg, lent) for key, kwarg in kwargs.items()},
    }
    answer = channel.ask(request)
    for path, connection in lent:
        connection.deserialize(path.read_bytes())
        path.unlink()
    if "value" in answer:
        return decode_value(answer["value"])
    text = str(answer.get("text", ""))
    for kind in (str(answer.get("raised")), *map(str, answer.get("bases") or ())):
        exception = getattr(builtins, kind, None)
        if isinstance(exception, type) and issubclass(exception, Exception):
            raise exception(text)
    raise ProgramRaised(f"{answer.get('raised')}: {text}")


def _encode_value(value: Any, lent: list[tuple[Path, sqlite3.Connection]]) -> Any:
    """A path goes as its text, a cursor as its database, which comes back after the call."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, sqlite3.Cursor | sqlite3.Connection):
        connection = value.connection if isinstance(value, sqlite3.Cursor) else value
        connection.commit()
        handle, path = tempfile.mkstemp(suffix=".db")
        with os.fdopen(handle, "wb") as file:
            file.write(connection.serialize())
        lent.append((Path(path), connection))
        return {"$cursor" if isinstance(value, sqlite3.Cursor) else "$connection": path}
    encoded = Encoder().encode_value(value)
    if isinstance(encoded, dict) and "$object" in encoded:
        raise NoArgument(f"a {type(value).__name__} cannot be given to a program")
    return encoded


def _timeouts() -> types.ModuleType:
    """A stand-in for wrapt_timeout_decorator: TimeoutError after so many seconds."""
    module = types.ModuleType("wrapt_timeout_decorator")

    def timeout(seconds: float, *_: Any, **__: Any) -> Any:
        until = 0.0

        def raise_timeout(*_: Any) -> None:
            if time.monotonic() >= until:  # not where the program sends it
                raise TimeoutError(f"more than {seconds:g} s")

        def decorate(function: Any) -> Any:
            def run_limited(*args: Any, **kwargs: Any) -> Any:
                nonlocal until
                until = time.monotonic() + seconds
                before = signal.signal(signal.SIGALRM, raise_timeout)
                signal.setitimer(signal.ITIMER_REAL, seconds)
                try:
                    return function(*args, **kwargs)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    signal.signal(signal.SIGALRM, before)

            return run_limited

        return decorate

    module.timeout = timeout  # type: ignore[attr-defined]
    return module
