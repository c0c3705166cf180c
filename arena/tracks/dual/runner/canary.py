"""The canary command, and the parser of the records that it and the hooks write, a record per write.

A canary writes MARK, its number of arguments, its name and the arguments, each ended by a zero byte; a hook
writes a line of JSON. Writes to a pipe of up to 4096 bytes are never mixed (pipe(7), PIPE_BUF).
"""

from __future__ import annotations

import json

from arena.tracks.dual.runner.observation import ObservedCall

MARK = b"\n\x01canary"
MAX_CANARIES, MAX_CALLS, MAX_RECORD = 1000, 2000, 8192
MAX_TEXT = 4000
_WINDOW = 2 * MAX_RECORD
_PARAMETERS = b" ".join(b'"${%d}"' % n for n in range(1, 12))
# At most 11 arguments, and of each at most 300 bytes (900 of up to three), so that it is one write.
SCRIPT = b"".join(
    (
        b"#!/bin/sh\n",
        b"LC_ALL=C; w=300\n",
        b"[ $# -gt 11 ] && set -- " + _PARAMETERS + b"\n",
        b"[ $# -le 3 ] && w=900\n",
        b'printf "%.${w}s\\\\0" \'' + MARK + b'\' $# "${0##*/}" "$@" >/run/arena/seen\n',
        b"exit 0\n",
    )
)


class ReportedCanaries:
    """Takes what comes out of the pipe, in pieces; what is no record is passed over."""

    def __init__(self) -> None:
        self.canaries: list[tuple[str, ...]] = []
        self.calls: list[ObservedCall] = []
        self._rest = b""

    def feed(self, data: bytes) -> None:
        everything, at = self._rest + data, 0
        while at < len(everything):
            self._rest = everything[
                at : at + _WINDOW
            ]  # the rest may be long, and its records short
            taken = self._canary() if self._rest.startswith(MARK + b"\0") else self._line()
            if not taken:
                break
            at += taken
        self._rest = everything[at:]

    def _line(self) -> int:
        """Length of the line at the front, with its end where no canary's mark begins there; 0: not whole."""
        end = self._rest.find(b"\n", 0 if self._rest[:1] != b"\n" else 1)
        if self._rest[:1] == b"\n":
            return 1 if not (MARK + b"\0").startswith(self._rest[: len(MARK) + 1]) else 0
        if end < 0:
            return len(self._rest) if len(self._rest) > MAX_RECORD else 0
        self._call(self._rest[:end])
        return end

    def _canary(self) -> int:
        """As `_line`, of a canary's record. A record that is incomplete when the next begins is no canary's:
        a program wrote it, so that what a real canary writes would count as part of it.
        """
        taken = self._record()
        return taken or max(0, self._rest.find(MARK + b"\0", 1))

    def _record(self) -> int:
        mark, _, rest = self._rest.partition(b"\0")
        number, _, rest = rest.partition(b"\0")
        if b"\0" not in self._rest[len(mark) + 1 :]:
            return len(mark) if len(self._rest) > MAX_RECORD else 0
        if not number.isdigit() or len(number) > 2:
            return len(mark)
        parts = rest.split(b"\0", int(number) + 1)
        if len(parts) < int(number) + 2:
            return len(mark) if len(self._rest) > MAX_RECORD else 0
        texts = tuple(part.decode("utf-8", "replace") for part in parts[:-1])
        if len(self.canaries) < MAX_CANARIES:
            self.canaries.append(texts)
        return len(self._rest) - len(parts[-1])

    def _call(self, line: bytes) -> None:
        if len(self.calls) >= MAX_CALLS or len(line) > MAX_RECORD:
            return
        try:
            report = json.loads(line)
        except (ValueError, RecursionError):
            return  # not a hook's: the pipe is open to every program
        if isinstance(report, dict) and isinstance(report.get("kind"), str):
            texts = (str(report.get(name, ""))[:MAX_TEXT] for name in ("kind", "what", "detail"))
            self.calls.append(ObservedCall(*texts))
