"""Hooks for Python, loaded before the program: `arena/tracks/dual/runner/hooks.py` says what the kinds mean.

Events of the interpreter come to an audit hook; functions are wrapped when their module is imported
(`arena_patches.py`), so that a program which uses none of them starts as fast as ever.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing takes milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

ROOT = os.environ.get("ARENA_ROOT", "/srv") + "/"
MAX_RECORDS = 200
MAX_CHARACTERS = 300
MAX_FRAMES = 500
_PIPE = os.environ.get("ARENA_SEEN", "")
_open, _write, _close = os.open, os.write, os.close
_recorded: set[tuple[str, str, str]] = set()


# Written by hand, because `json` would be imported in each program; units of UTF-16 are what JSON escapes by.
def _quote_json(text: str) -> str:
    plain = text[:MAX_CHARACTERS].encode("utf-16-be", "surrogatepass")
    units = [plain[i] << 8 | plain[i + 1] for i in range(0, len(plain), 2)]
    return (
        '"'
        + "".join(chr(u) if 31 < u < 127 and u not in (34, 92) else f"\\u{u:04x}" for u in units)
        + '"'
    )


def record(kind: str, what: str, where: str) -> None:
    """Record a place, once. Does nothing if nobody listens."""
    key = (kind, what[:MAX_CHARACTERS], where)
    # A loop of a million weak draws is one place: the pipe would fill and the program wait.
    if not where or key in _recorded or len(_recorded) >= MAX_RECORDS or not _PIPE:
        return
    _recorded.add(key)
    line = (
        f'{{"kind":{_quote_json(kind)},"what":{_quote_json(what)},"detail":{_quote_json(where)}}}\n'
    )
    try:
        # Opened each time: a program may close descriptors that it does not know, and reuse the number.
        pipe = _open(_PIPE, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    try:
        _write(pipe, line.encode("ascii"))
    except OSError:
        return  # full, or closed at the other end
    finally:
        _close(pipe)


def direct(frame: FrameType | None) -> str:
    """ "file:line" of `frame` if it is the candidate's; generated code counts as its caller's."""
    while (
        frame and frame.f_code.co_filename[:1] == "<" and frame.f_code.co_filename[:7] != "<frozen"
    ):
        frame = frame.f_back
    if frame and frame.f_code.co_filename.startswith(ROOT):
        return f"{frame.f_code.co_filename}:{frame.f_lineno}"
    return ""


def nearest(frame: FrameType | None) -> str:
    """ "file:line" of the nearest frame that is the candidate's, behind any number of libraries."""
    for _ in range(MAX_FRAMES):
        if frame is None or frame.f_code.co_filename.startswith(ROOT):
            break
        frame = frame.f_back
    return direct(frame)


def _spawn(how: str) -> Callable[[Any, FrameType | None], None]:
    def record_spawn(args: Any, frame: FrameType | None) -> None:
        shown = args[1] if how == "subprocess" and len(args) > 1 else args[0]
        words = shown if isinstance(shown, list | tuple) else [shown]
        texts = [os.fsdecode(w) if isinstance(w, bytes) else str(w) for w in words]
        record("spawn", f"{how} {' '.join(texts)}", nearest(frame))

    return record_spawn


def _posix_spawn(args: Any, frame: FrameType | None) -> None:
    record(
        "spawn", f"os.posix_spawn {args[0]}", direct(frame)
    )  # subprocess has recorded it already


def _connect(args: Any, frame: FrameType | None) -> None:
    address = args[-1]
    if isinstance(address, tuple):
        shown = f"{address[0]}:{address[1]}"
    else:
        shown = os.fsdecode(address) if isinstance(address, str | bytes) else str(address)
    record("connect", shown, nearest(frame))


def _find_class(args: Any, frame: FrameType | None) -> None:
    if frame and direct(frame) and frame.f_code.co_name == "find_class":
        return  # an Unpickler of the candidate's own that chooses what it lets through
    record("unsafe-load", f"pickle {args[0]}.{args[1]}", nearest(frame))


def _marshal(args: Any, frame: FrameType | None) -> None:
    record("unsafe-load", "marshal", direct(frame))


def _compile(args: Any, frame: FrameType | None) -> None:
    if args[0] is not None:
        record("eval", "compile", direct(frame))


def _exec(args: Any, frame: FrameType | None) -> None:
    code = args[0]
    if getattr(code, "co_filename", "")[:1] == "<":
        record("eval", "exec or eval", direct(frame))


_EVENTS: dict[str, Callable[[Any, FrameType | None], None]] = {
    "os.system": _spawn("os.system"),
    "subprocess.Popen": _spawn("subprocess"),
    "os.exec": _spawn("os.exec"),
    "os.spawn": _spawn("os.spawn"),
    "pty.spawn": _spawn("pty.spawn"),
    "os.posix_spawn": _posix_spawn,
    "socket.connect": _connect,
    "socket.sendto": _connect,
    "pickle.find_class": _find_class,
    "marshal.loads": _marshal,
    "compile": _compile,
    "exec": _exec,
}


def _handle_event(event: str, args: Any) -> None:
    handler = _EVENTS.get(event)
    if handler is None:
        return
    try:
        handler(args, sys._getframe().f_back)
    except Exception:  # noqa: BLE001 - what the program does must not fail for our reading of it
        return


def _begin() -> None:
    if _PIPE or "ARENA_SEED" in os.environ:
        import arena_patches  # type: ignore[import-not-found]  # beside this file

        arena_patches.install(record, direct)
        sys.addaudithook(_handle_event)
    if os.environ.get("ARENA_COVERAGE"):
        import arena_coverage  # type: ignore[import-not-found]

        arena_coverage.start(os.environ["ARENA_COVERAGE"], ROOT)


_begin()
