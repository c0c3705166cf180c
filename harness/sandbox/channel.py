"""A shell in a container that runs scripts in turn over the same connection to the engine.

For each command that it runs, an engine starts a runtime and loads a filter of system calls anew:
45 ms on an idle machine and as long of processor time (Docker 20.10), where a running shell needs 4.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from harness.sandbox.base import SandboxDied
from harness.sandbox.engine import ExecStreams

MARK_BYTES = 16


class ChannelClosed(SandboxDied):
    """The shell ended before its script did: something inside killed it, or the container ended."""


class CommandChannel:
    """Runs the scripts of a sandbox in a shell; what they start must not hold the shell's standard error.

    Code under test must not be able to trace or limit the shell (`container.COPY`, `seccomp.profile`),
    and must have ended before the script does: then only the shell can have written the mark that ends a
    script, whose value nothing else has read.
    """

    def __init__(self, api: Any, container: str, user: str, argv: Sequence[str]) -> None:
        """argv: starts a shell that reads scripts from standard input."""
        # As the commands' user: whatever a command may not do, its shell may not do for it either.
        self.exec_id: str = api.exec_create(container, argv, stdin=True, user=user)["Id"]
        # Exit status of the last script that ended.
        self.status = 0
        self._is_open = True
        self._streams = ExecStreams(api, self.exec_id)
        self._pieces = self._streams.read()

    def run(self, script: str) -> Iterator[tuple[bytes, bytes]]:
        """Run a script; pieces of what it writes to (output, error). Raises ChannelClosed."""
        mark = secrets.token_hex(MARK_BYTES)
        end = f"printf '%s %s\\n' {mark} $? >&2; printf %s {mark}\n"
        output, error = _UntilMark(mark), _UntilMark(mark)
        try:
            # The mark goes to both streams: an engine does not say in which order their pieces came.
            self._streams.write(f"{script}\n{end}".encode("utf-8", "surrogateescape"))
            while not (output.ended and error.after.endswith(b"\n")):
                out, err = next(self._pieces)
                yield output.take(out), error.take(err)
        except (StopIteration, OSError) as why:  # the end, or a broken pipe
            self.close()
            raise ChannelClosed("the shell of the sandbox ended under a command") from why
        except (
            GeneratorExit
        ):  # a reader that had enough: what is left would be taken for the next one's
            self.close()
            raise
        self.status = int(error.after)

    @property
    def is_open(self) -> bool:
        return self._is_open

    def close(self) -> None:
        self._is_open = False
        with suppress(OSError):
            self._streams.close()


class _UntilMark:
    """Passes a stream on up to a mark; `after`: what came behind it."""

    def __init__(self, mark: str) -> None:
        self._mark, self._held = mark.encode(), b""
        self.ended, self.after = False, b""

    def take(self, piece: bytes) -> bytes:
        """What is before the mark for certain."""
        if self.ended:
            self.after += piece
            return b""
        text = self._held + piece
        before, mark, after = text.partition(self._mark)
        self.ended = bool(mark)
        if self.ended:
            self._held, self.after = b"", after
            return before
        # A mark may be cut anywhere: what could be its beginning is not passed on before the next piece.
        sizes = range(min(len(self._mark) - 1, len(text)), 0, -1)
        held = next((n for n in sizes if text.endswith(self._mark[:n])), 0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]
