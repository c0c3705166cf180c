"""Driver for a suite that is code: loads it, and runs the tests that the supervisor names.

    python -I suite.py FORM

JSON lines on the channel. First comes {"files", "module", "program", "keep", "key"}, and every line of the
suite's has the key, which the program does not know. It is answered by {"ready": true} or
{"failed": text}. {"list": true} is answered by {"tests": [{"test", "kind", "title", "cwes"}], "facts"};
{"test": name, ...the program's place} by {"passed", "why", "cwes"}, before which it may ask
{"call", "args", "kwargs"} any number of times and is answered as by the driver of the program,
or {"memory": true}, answered by the bytes that all processes of the place take.

The program runs as the same user: nobody may look into this process, its files lie where only it sees them,
and no module of the suite is left, but with `keep`, where there is no program.
"""

from __future__ import annotations

import base64
import ctypes
import fcntl
import importlib
import json
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

HIGH = 200
# Where the program has an empty folder.
FOLDER = Path("/run/arena/suite")
NOT_DUMPABLE = (4, 0, 0, 0, 0)  # PR_SET_DUMPABLE of prctl(2)
TYPE = re.compile(rb"^type (\w+) = ", re.M)  # PEP 695, which Python before 3.12 cannot read


class Channel:
    """The two pipes of ARENA_CHANNEL, out of the way and closed in whatever is started."""

    def __init__(self) -> None:
        descriptors = [int(number) for number in os.environ.pop("ARENA_CHANNEL").split(",")]
        reading, self._writing = (fcntl.fcntl(n, fcntl.F_DUPFD_CLOEXEC, HIGH) for n in descriptors)
        for number in descriptors:
            os.close(number)
        self._lines = os.fdopen(reading, "rb")
        self._key = ""

    def take(self) -> dict[str, Any] | None:
        line = self._lines.readline()
        request = json.loads(line) if line else None
        self._key = self._key or (request or {}).pop("key", "")
        return request

    def say(self, what: dict[str, Any]) -> None:
        view = memoryview(json.dumps({**what, "key": self._key}).encode() + b"\n")
        while view:
            view = view[os.write(self._writing, view) :]

    def ask(self, what: dict[str, Any]) -> dict[str, Any]:
        self.say(what)
        answer = self.take()
        if answer is None:
            os._exit(1)
        return answer


def main() -> None:
    # Before anything of the suite is read: the program runs as the same user and could read its memory.
    if ctypes.CDLL(None).prctl(*NOT_DUMPABLE):
        sys.exit("prctl is refused")
    channel = Channel()
    empty = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        # The suite may print what its tests expect, and the program shares the terminal's descriptors.
        os.dup2(empty, number)
    settings = channel.take() or {}
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # the program may send it: it is no exception of a test
    folder = FOLDER / "modules"
    try:
        sys.path[:0] = [str(Path(__file__).parent), str(folder)]
        _write_files(folder, settings["files"])
        form = importlib.import_module(f"suite_{sys.argv[1]}")
        form.load(
            *(folder, settings["module"], settings["program"], channel),
            lambda suite: serve(suite, None if settings["keep"] else folder, channel),
        )
    except BaseException as error:  # noqa: BLE001 - whatever the suite's modules do when they are loaded
        channel.say({"failed": describe_error(error)})
    os._exit(0)


def serve(suite: Any, folder: Path | None, channel: Channel) -> None:
    """Answer requests to a suite that is loaded; ends the process. folder: loses its modules."""
    sys.path[:] = [p for p in sys.path if not p.startswith(str(FOLDER))]
    for path in [p for p in folder.rglob("*.py*") if p.is_file()] if folder else ():
        path.unlink()
    channel.say({"ready": True})
    while (request := channel.take()) is not None:
        answer = suite.list_tests() if "list" in request else suite.run(request)
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        channel.say(answer)
    os._exit(0)


def _write_files(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = base64.b64decode(content)
        old = sys.version_info < (3, 12) and path.suffix == ".py"
        path.write_bytes(TYPE.sub(rb"\1 = ", data) if old else data)


def describe_error(error: BaseException) -> str:
    """An exception on a single line."""
    return f"{type(error).__name__}: {error}".strip()[:1_500]


if __name__ == "__main__":
    main()
