"""The sink's side of a mail dialogue (RFC 5321): it accepts every message, in order to record it."""

from __future__ import annotations

PORTS = frozenset({25, 587})
GREETING = b"220 sink ESMTP\r\n"
MAX_LINE = 64 << 10
# STARTTLS is refused, so that the dialogue stays readable.
_ANSWERS = {b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n", b"STARTTLS": b"502 no\r\n"}
_FINE = b"250 sink\r\n"


class Talk:
    """Answers line by line; the lines of a message have no answer but at its end."""

    def __init__(self) -> None:
        self._rest = b""
        self._message = False

    def answer(self, data: bytes) -> bytes:
        lines = (self._rest + data).split(b"\n")
        # The end of an unfinished line is enough, and a caller that sends no line end takes no memory.
        self._rest = lines.pop()[-MAX_LINE:]
        return b"".join(self._line(line.rstrip(b"\r")) for line in lines)

    def _line(self, line: bytes) -> bytes:
        if self._message:
            self._message = line != b"."
            return b"" if self._message else _FINE
        verb = line.split(b" ", 1)[0].upper()
        self._message = verb == b"DATA"
        return _ANSWERS.get(verb, _FINE)
