"""Which lines of the candidate's files ran, written as JSON when the program ends.

coverage.py's tracer is loaded alone: the whole package takes a hundred milliseconds to import. Which lines
are statements is decided on the host (`arena/tracks/dual/runner/coverage.py`). Tracing halves the speed of a
loop, so it pauses during imports of further modules, and ends after `BUDGET` seconds of processor time: of a
program that goes on computing after that, a line that runs for the first time then is missing.
"""

from __future__ import annotations

import atexit
import builtins
import os
import signal
import sys
import threading

BUDGET = 0.25
TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


def _tracing() -> tuple[Any, Any]:
    """The tracer of coverage.py, and what it asks of a file, without the package around them.

    The program may import the package as ever.
    """
    import types

    for folder in sys.path:
        place = f"{folder}/coverage"
        if os.path.isdir(place):  # noqa: PTH112
            package = types.ModuleType("coverage")
            package.__path__ = [place]
            sys.modules["coverage"] = package
            try:
                from coverage.tracer import CFileDisposition, CTracer
            finally:
                sys.modules.pop("coverage", None)
                sys.modules.pop("coverage.tracer", None)
            return CTracer, CFileDisposition
    raise ImportError("coverage")


def start(folder: str, root: str) -> None:
    """Record until the program ends: by itself, by `os._exit` or by SIGTERM."""
    try:
        begin, ran = _recorder(root)
    except ImportError:
        return  # this interpreter has it not: no coverage
    owner, leave = os.getpid(), os._exit

    def save() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.settrace(None)
        _save(ran, f"{folder}/python-{os.getpid()}.json")

    def end_by_signal(number: int, frame: Any) -> None:
        save()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    def leaving(status: int) -> None:
        if os.getpid() == owner:
            save()
        leave(status)

    atexit.register(save)
    # `os._exit` runs no atexit handler, and servers end workers by it.
    os._exit = leaving  # type: ignore[assignment]
    signal.signal(signal.SIGTERM, end_by_signal)
    threading.settrace(begin)
    _pause_in_imports(begin)
    _end_in_time()
    begin()


def _end_in_time() -> None:
    """Stop when the budget is used up. The timer would outlive an exec, and end what comes then."""

    def stop(number: int, frame: Any) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def heard(event: str, args: Any) -> None:
        if event in ("os.exec", "os.posix_spawn"):
            signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, stop)
    # Processor time, so that a program which sleeps or waits is still traced when it wakes.
    signal.setitimer(signal.ITIMER_PROF, BUDGET)
    sys.addaudithook(heard)


def _pause_in_imports(begin: Any) -> None:
    """Suspend tracing while modules are imported, so that their code runs at full speed."""
    imported = builtins.__import__

    def import_untraced(name: str, *more: Any, **named: Any) -> Any:
        tracing = sys.gettrace()
        if tracing is None:
            return imported(name, *more, **named)
        sys.settrace(None)
        try:
            return imported(name, *more, **named)
        finally:
            sys.settrace(tracing)

    builtins.__import__ = import_untraced


def _recorder(root: str) -> tuple[Any, dict[str, set[int]]]:
    """A function that starts recording in the thread that calls it, and what it fills: file -> lines.

    As a trace function it is called in each new thread. Raises ImportError where coverage.py is not there.
    """
    tracer, disposition = _tracing()
    ran: dict[str, set[int]] = {}
    dispositions: dict[str, Any] = {}

    def should_trace(file: str, frame: FrameType) -> Any:
        file_disposition = disposition()
        file_disposition.original_filename = file_disposition.canonical_filename = (
            file_disposition.source_filename
        ) = file
        file_disposition.trace, file_disposition.reason = file.startswith(root), ""
        file_disposition.file_tracer, file_disposition.has_dynamic_filename = None, False
        return file_disposition

    def begin(*event: Any) -> Any:
        tracing = tracer()
        tracing.data, tracing.trace_arcs = ran, False
        tracing.should_trace, tracing.should_trace_cache = should_trace, dispositions
        tracing.check_include = lambda file, frame: True
        tracing.file_tracers, tracing.warn = {}, lambda *message, **more: None
        tracing.concur_id_func = tracing.should_start_context = tracing.switch_context = None
        tracing.disable_plugin = None
        tracing.lock_data = tracing.unlock_data = lambda: None
        sys.settrace(None)
        function = tracing.start()
        return function(*event) if event else function

    return begin, ran


def _save(ran: dict[str, set[int]], path: str) -> None:
    import json

    lines_by_file = {file: sorted(lines) for file, lines in list(ran.items())}
    with open(path, "w") as file:  # noqa: PTH123
        json.dump(lines_by_file, file)
