"""Syntax colours of patches and programs, by Pygments: for each line how many characters are of which kind.

Only a few common languages, short lines and bounded time: the text may have been written to
make a highlighter slow. A regular expression of Pygments can take hours over two lines, and blocks all
threads; so this file is also a program, which colours in a process that is ended when its time is up.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

# Kinds of tokens by the name of Pygments, the first that fits.
KINDS = {
    "Comment.Preproc": "p",
    "Comment": "c",
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "n",
}
# Lexers by the ending of a file, or the name of a language.
LEXERS = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".c++", ".cpp17"), "cpp"),
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".ts"), "javascript"),
    ".go": "go",
    ".java": "java",
    ".rs": "rust",
    ".sh": "bash",
    **{name: name for name in ("c", "python", "javascript", "go", "java", "rust")},
    **dict.fromkeys(("c++", "cpp"), "cpp"),
}
LONGEST_LINE = 500
# Characters of a patch or a program.
MAX_CHARACTERS = 200_000
SECONDS = 0.5
# Seconds after which the process is ended that has not looked at the clock.
GRACE = 0.5

# [length, kind] of a line in its order; kind "" is plain. Lengths are in UTF-16 units, as in pages.
Runs = list[list[Any]]
# Lines with their numbers.
Lines = Sequence[tuple[int, str]]
# A language and the lines of one text.
Side = tuple[str, Lines]


def colour_patch(text: str, files: Iterable[Mapping[str, Any]]) -> dict[str, Runs]:
    """Colours by line of the patch, without its sign. files: as `changes.shown_patch` has them."""
    lines = list(enumerate(text.split("\n")))
    sides: list[Side] = []
    for file in files:
        ending = PurePosixPath(str(file["new"] or file["old"] or "")).suffix.lower()
        for hunk in file["hunks"] if ending in LEXERS else ():
            hunk_lines = lines[hunk["at"] + 1 : hunk["at"] + 1 + hunk["lines"]]
            for sign in "-+":  # what was and what is, each as one text; the context is of both
                sides.append(
                    (ending, [(n, line[1:]) for n, line in hunk_lines if line[:1] in (sign, " ")])
                )
    return colour_sides(sides)


def colour_program(text: str, language: str) -> dict[str, Runs]:
    """Colours by line, from 0."""
    name = language.lower()
    return colour_sides([(name, list(enumerate(text.split("\n"))))] if name in LEXERS else [])


class _Painter:
    """The process that colours, started at the first request and again after it was ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self._end)
        os.register_at_fork(after_in_child=self._forget)

    def ask(self, sides: Sequence[Side]) -> dict[str, Runs]:
        with self._lock:
            process = self._process = self._process or _start_process()
            assert process.stdin and process.stdout  # noqa: S101 - both are pipes
            # The clock in the process does not help while a regular expression hangs.
            timer = threading.Timer(SECONDS + GRACE, process.kill)
            timer.start()
            try:
                process.stdin.write(json.dumps(sides).encode() + b"\n")
                process.stdin.flush()
                answer = process.stdout.readline()
            except OSError:
                answer = b""
            finally:
                timer.cancel()
            # A process that was killed may have written half an answer.
            if answer.endswith(b"\n"):
                painted: dict[str, Runs] = json.loads(answer)
                return painted
            self._end()
            return {}

    def _forget(self) -> None:
        """A process that was forked must not speak on its parent's pipes."""
        self._lock, self._process = threading.Lock(), None

    def _end(self) -> None:
        if process := self._process:
            process.kill()
            process.communicate()
        self._process = None


def _start_process() -> subprocess.Popen[bytes]:
    # `-P`: else modules of this folder would come before others of the same names.
    command = [sys.executable, "-P", __file__]
    pipe = subprocess.PIPE
    # In a session of its own, which no Ctrl-C at the terminal reaches.
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True)
    assert process.stdout  # noqa: S101 - a pipe
    process.stdout.readline()  # it is ready: its start is not in the time of a text
    return process


_painter = _Painter()


def colour_sides(sides: Sequence[Side]) -> dict[str, Runs]:
    """The colours of all sides by the number of the line, as far as `SECONDS` reach; {} if a side hangs."""
    return _painter.ask(sides) if sides else {}


def colour_lines(lines: Lines, language: str, deadline: float) -> dict[str, Runs]:
    """The colours of the lines of a text; {} for an unlisted language, or too long or too many lines."""
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]

    name = LEXERS.get(language)
    if name is None or sum(len(line) for _, line in lines) > MAX_CHARACTERS:
        return {}
    if any(len(line) > LONGEST_LINE for _, line in lines):
        return {}
    # Pygments otherwise removes empty lines at both ends and adds a line end.
    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    lines_of_runs: list[Runs] = [[]]
    # A carriage return would be a line end to Pygments, and the numbers of lines would not fit.
    for kind, part in lexer.get_tokens("\n".join(line.replace("\r", " ") for _, line in lines)):
        if time.monotonic() > deadline:
            return {}
        for number, piece in enumerate(part.split("\n")):
            if number:
                lines_of_runs.append([])
            if piece:
                _add(lines_of_runs[-1], piece, _kind(str(kind)))
    # Colours that belong to other lines are worse than none.
    if len(lines_of_runs) != len(lines):
        return {}
    pairs = zip((str(number) for number, _ in lines), lines_of_runs, strict=True)
    return {number: runs for number, runs in pairs if any(kind for _, kind in runs)}


def _kind(name: str) -> str:
    return next((k for words, k in KINDS.items() if name.startswith(f"Token.{words}")), "")


def _add(runs: Runs, piece: str, kind: str) -> None:
    length = len(piece.encode("utf-16-le", "surrogatepass")) // 2
    if runs and runs[-1][1] == kind:
        runs[-1][0] += length
    else:
        runs.append([length, kind])


def _serve() -> None:
    """Answer each request, a line each, until the parent process has closed the input."""
    from pygments.lexers import get_lexer_by_name

    get_lexer_by_name("c")
    print(flush=True)
    for line in sys.stdin:
        deadline = time.monotonic() + SECONDS
        colours: dict[str, Runs] = {}
        for language, side in json.loads(line):
            colours |= colour_lines(side, language, deadline)
        print(json.dumps(colours), flush=True)


if __name__ == "__main__":
    _serve()
