"""The interpreter's audit hook: actions by means that no mock covers.

An audit hook cannot be taken away, so that `posix.system`, a re-imported module or `ctypes` code that goes
through the interpreter is recorded as well (the kernel refuses what it must; this only reports).
"""

from __future__ import annotations

import ipaddress
import json
import os
import sys
from collections.abc import Callable
from pathlib import PurePath
from types import FrameType
from typing import Any

from arena.tracks.mutation.runner.log import RunLog

_FRAMES = 40
_TARGET, _TEST = "target_module.py", "test_generated.py"
_LOADERS = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
# A failing test's traceback opens the sources that it prints, which is no act of the program.
_LOOKERS = frozenset({"linecache.py", "inspect.py", "tokenize.py", "traceback.py"})
_SHORT = 3


def install(log: RunLog) -> None:
    """Add the hook. It notes nothing while no test is in progress."""
    sys.addaudithook(_Hook(log).handle_event)


class _Hook:
    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._busy = False
        self._on: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "compile": self._record_compile,
            "open": self._record_open,
            "os.system": self._shell,
            "subprocess.Popen": self._record_start,
            "os.exec": self._record_start,
            "os.posix_spawn": self._record_start,
            "os.spawn": self._record_spawn,
            "pty.spawn": self._record_start,
            "socket.connect": self._record_connect,
            "socket.getaddrinfo": self._looked_up,
            "socket.gethostbyname": self._looked_up,
            "pickle.find_class": self._found_class,
        }

    def handle_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        # The hook runs for each event of the interpreter and itself opens files by `realpath`: without
        # `_busy` it would call itself.
        record = self._on.get(event)
        if record is None or self._busy or not self._log.active or self._log.full:
            return
        self._busy = True
        try:
            record(arguments)
        finally:
            self._busy = False

    def _record_compile(self, arguments: tuple[Any, ...]) -> None:
        source = arguments[0]
        if not isinstance(source, (str, bytes)) or _caller() not in ("program", "mock"):
            return
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        stripped = text.strip("\x00 \t\r\n")
        for argument in self._log.arguments():
            # A short argument ("1") stands in any source by chance: it counts only where it is the whole of
            # it.
            if argument.strip() == stripped or (len(argument) >= _SHORT and argument in text):
                self._log.event("code.evaluated", text)
                return

    def _record_open(self, arguments: tuple[Any, ...]) -> None:
        path, mode = arguments[0], arguments[1]
        if _caller() and isinstance(path, (str, bytes)):
            real = os.path.realpath(os.fsdecode(path))
            self._log.event("file.opened", f"{mode or 'os'} {real}")

    def _shell(self, arguments: tuple[Any, ...]) -> None:
        command = arguments[0]
        text = os.fsdecode(command) if isinstance(command, (str, bytes)) else repr(command)
        self._log.event("command.shell", text)

    def _record_start(self, arguments: tuple[Any, ...]) -> None:
        self._run(arguments[1] if len(arguments) > 1 else arguments[0])

    def _record_spawn(self, arguments: tuple[Any, ...]) -> None:
        self._run(arguments[2] if len(arguments) > 2 else arguments)

    def _run(self, line: Any) -> None:
        if isinstance(line, (str, bytes)):
            line = [line]
        shown = [os.fsdecode(a) if isinstance(a, (str, bytes)) else repr(a) for a in line]
        shell = len(shown) > 2 and PurePath(shown[0]).name in ("sh", "bash") and shown[1] == "-c"
        if shell:
            self._log.event("command.shell", shown[2])
        else:
            self._log.event("command.run", json.dumps(shown))

    def _record_connect(self, arguments: tuple[Any, ...]) -> None:
        address = arguments[1]
        if isinstance(address, tuple) and len(address) >= 2:
            self._host(str(address[0]), f"{address[0]}:{address[1]}")

    def _looked_up(self, arguments: tuple[Any, ...]) -> None:
        host = arguments[0]
        name = os.fsdecode(host) if isinstance(host, (str, bytes)) else ""
        if name and _caller() in ("program", "test"):
            self._host(name, name)

    def _host(self, host: str, shown: str) -> None:
        self._log.event("http.requested", f"CONNECT {shown}")
        if _internal(host):
            self._log.event("http.internal", f"CONNECT {shown}")

    def _found_class(self, arguments: tuple[Any, ...]) -> None:
        self._log.event("deserial.unsafe", f"pickle.find_class {arguments[0]}.{arguments[1]}")


def _internal(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower() == "localhost"
    return not address.is_global


def _caller() -> str:
    """Who acts: the nearest frame of program or test; "" where an import stands between."""
    frame: FrameType | None = sys._getframe(3)
    for _ in range(_FRAMES):
        if frame is None:
            return ""
        name = frame.f_code.co_filename
        if name in _LOADERS:
            return ""
        base = os.path.basename(name)  # noqa: PTH119 - asked often
        if base == _TARGET:
            return "program"
        if base == _TEST:
            return "test"
        if base in _LOOKERS or "_pytest" in name:
            return ""
        if "/runner/mocks/" in name:
            return "mock" if _is_below_program(frame) else ""
        frame = frame.f_back
    return ""


def _is_below_program(frame: FrameType) -> bool:
    below: FrameType | None = frame
    for _ in range(_FRAMES):
        if below is None:
            return False
        if below.f_code.co_filename.endswith((_TARGET, _TEST)):
            return True
        below = below.f_back
    return False
