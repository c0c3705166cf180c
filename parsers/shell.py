"""Shell text to simple commands, tolerantly: what would run, apart from what is only a string.

Grammar: POSIX.1-2017, Shell Command Language, and Bash's `$'...'`, `<<<`, `&>`, `|&`, `<(...)`.
Nothing is expanded. Whatever does not parse is read as far as it goes; time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

# Characters of one command line that are read.
MAX_TEXT = 256 << 10
# Simple commands of one text that are looked at.
MAX_COMMANDS = 5000
# Levels of substitutions; deeper ones are kept as words.
MAX_DEPTH = 12
KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "esac"}
)
# Keywords that begin or end what may run more than once.
LOOP_WORDS = frozenset({"while", "until", "done"})
OPENED, CLOSED = "(", ")"
_PLAIN = re.compile(r"[^\s;&|()<>'\"\\`$]+")
_IN_DOUBLE = re.compile(r'[^"\\`$]+')
_REDIRECT = re.compile(r"\d{0,4}(?:&>>|&>|>&|<&|>>|>\||<<<|<<-|<<|<>|<|>)")
_BRACED = re.compile(r"\$\{[^{}\n]{0,200}\}")
_ASSIGNED = re.compile(r"([A-Za-z_]\w{0,100})\+?=", re.ASCII)


@dataclass(frozen=True)
class Simple:
    """A simple command, its words without quotes.

    env: assignments before it. writes, reads: files that it is redirected to and from. here_document: its
    text. after: the words of the command whose output it reads through a pipe. code: what an interpreter has
    to run.
    """

    words: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    here_document: str = ""
    after: tuple[str, ...] = ()
    code: str = ""

    @cached_property
    def program(self) -> str:
        """Name of the program without its folder; "" where there are only assignments or redirections."""
        return self.words[0].rstrip("/").rpartition("/")[2] if self.words else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.words[1:]

    @property
    def text(self) -> str:
        """The command as a single line, for people."""
        assigned = [f"{name}={value}" for name, value in self.env]
        return " ".join([*assigned, *self.words, *(f"> {name}" for name in self.writes)])


def simple_commands(text: str) -> list[Simple]:
    """Every simple command of a shell text, those in substitutions too, in the order in which they end."""
    reader = _ShellReader(text[:MAX_TEXT])
    reader.run()
    return [builder.frozen() for builder in reader.commands]


def script_commands(text: str) -> list[Simple]:
    """The same, and what decides where and how often they run, as commands of a single word.

    `(` and `)`: a subshell or substitution begins and ends. `while`, `until`, `done`: a loop does. The words
    of `for NAME in VALUES` are a command as they stand. The patterns of `case` are left out.
    """
    reader = _ShellReader(text[:MAX_TEXT], with_structure=True)
    reader.run()
    return [builder.frozen() for builder in reader.commands]


@dataclass
class _CommandBuilder:
    words: list[str] = field(default_factory=list)
    env: list[tuple[str, str]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    here_document: list[str] = field(default_factory=list)
    after: tuple[str, ...] = ()

    def add(self, word: str, assigns: bool) -> None:
        if not self.words and assigns:
            name, _, value = word.partition("=")
            self.env.append((name.rstrip("+"), value))
        elif self.words or word not in KEYWORDS:
            self.words.append(word)

    def frozen(self) -> Simple:
        return Simple(
            tuple(self.words),
            tuple(self.env),
            tuple(self.writes),
            tuple(self.reads),
            "".join(self.here_document),
            self.after,
        )


class _ShellReader:
    """Reads from `at` on; `commands` gets what was read."""

    def __init__(self, text: str, depth: int = 0, with_structure: bool = False) -> None:
        self.text, self.at, self.depth = text, 0, depth
        self._with_structure = with_structure
        self.commands: list[_CommandBuilder] = []
        self._open_groups = 0
        self._now = _CommandBuilder()
        # Here-documents that begin on the next line: delimiter, tabs stripped, expanded, whose they are.
        self._waiting: list[tuple[str, bool, bool, _CommandBuilder]] = []
        self._on: dict[str, Callable[[], None]] = {
            "\n": self._line_end,
            "#": self._comment,
            ";": self._separator,
            "&": self._separator,
            "|": self._pipe,
            "(": self._open_group,
            ")": self._close_group,
        }

    def run(self, end: str = "") -> None:
        """Read commands to the unquoted character `end` (taken too), or to the end of the text."""
        outer, self._now = self._now, _CommandBuilder()
        outer_groups, self._open_groups = self._open_groups, 0
        while self.at < len(self.text) and len(self.commands) < MAX_COMMANDS:
            char = self.text[self.at]
            if char == end and (end == "`" or not self._open_groups):
                self.at += 1
                break
            before = self.at
            self._step(char, end)
            self.at += self.at == before  # whatever it is, it is passed over
        self._close()
        self._now, self._open_groups = outer, outer_groups

    def _step(self, char: str, end: str) -> None:
        if char in " \t\r":
            self.at += 1
        elif self.text.startswith("\\\n", self.at):
            self.at += 2
        elif (redirect := _REDIRECT.match(self.text, self.at)) is not None:
            self._redirect(redirect.group(), end)
        elif char in self._on:
            self._on[char]()
        else:
            assigns = _ASSIGNED.match(self.text, self.at) is not None
            word = self._word(end)
            if word in LOOP_WORDS and not self._now.words:
                self._mark(word)
            self._now.add(word, assigns)

    # between words

    def _close(self, piped: bool = False) -> None:
        now = self._now
        if now.words or now.env or now.writes or now.reads:
            self.commands.append(now)
        self._now = _CommandBuilder(after=tuple(now.words) if piped else ())

    def _separator(self) -> None:
        self.at += 1
        self._close()

    def _mark(self, word: str) -> None:
        if self._with_structure:
            self.commands.append(_CommandBuilder([word]))

    def _open_group(self) -> None:
        self._separator()
        self._open_groups += 1
        self._mark(OPENED)

    def _close_group(self) -> None:
        if self._open_groups:
            self._separator()
            self._open_groups -= 1
            self._mark(CLOSED)
            return
        if self._with_structure:  # behind a pattern of `case`
            self._now = _CommandBuilder()
        self._separator()

    def _pipe(self) -> None:
        either = self.text.startswith("||", self.at)
        self.at += 2 if either or self.text.startswith("|&", self.at) else 1
        self._close(piped=not either)

    def _comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _line_end(self) -> None:
        self.at += 1
        self._close()
        waiting, self._waiting = self._waiting, []
        for delimiter, stripped, expanded, whose in waiting:
            self._read_here_document(delimiter, stripped, expanded, whose)

    def _read_here_document(
        self, delimiter: str, stripped: bool, expanded: bool, whose: _CommandBuilder
    ) -> None:
        start = stop = self.at
        while self.at < len(self.text):
            stop, end = self.at, self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[stop:end]
            self.at = end + 1
            if (line.lstrip("\t") if stripped else line).rstrip("\r") == delimiter:
                break
            stop = self.at
        body = self.text[start:stop]
        whose.here_document.append(body)
        if expanded and self.depth < MAX_DEPTH and ("$(" in body or "`" in body):
            inner = _ShellReader(body.replace('"', " "), self.depth + 1)
            inner.double()
            self.commands += inner.commands

    def _redirect(self, operator: str, end: str) -> None:
        self.at += len(operator)
        operator = operator.lstrip("0123456789")
        if operator in "<>" and self.text.startswith("(", self.at):  # process substitution
            self.at += 1
            self._read_nested(")")
            return
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        start = self.at
        target = self._word(end)
        if operator in ("<<", "<<-"):
            expanded = not set("'\"\\") & set(self.text[start : self.at])
            self._waiting.append((target, operator == "<<-", expanded, self._now))
        elif operator == "<<<":
            self._now.here_document.append(target + "\n")
        elif operator in ("<", "<&"):
            self._now.reads.append(target)
        elif not target.isdigit() and target != "-":
            self._now.writes.append(target)

    # words

    def _word(self, end: str) -> str:
        parts: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if (char in " \t\r\n;&|()<>") or (char == end and char):
                break
            plain = _PLAIN.match(self.text, self.at)
            if plain is not None:
                parts.append(plain.group())
                self.at = plain.end()
            else:
                parts.append(self._read_quoted(char))
        return "".join(parts)

    def _read_quoted(self, char: str) -> str:
        if char == "'":
            return self._single()
        if char == '"':
            self.at += 1
            return self.double()
        if char == "\\":
            self.at += 2
            return self.text[self.at - 1 : self.at].strip("\n")
        return self._special(char)

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        end = len(self.text) if end < 0 else end
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def double(self) -> str:
        """The text to the closing double quote, and the commands that are substituted in it."""
        parts: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            plain = _IN_DOUBLE.match(self.text, self.at)
            if plain is not None:
                parts.append(plain.group())
                self.at = plain.end()
            elif char == '"':
                self.at += 1
                break
            elif char == "\\":
                parts.append(self._read_escape())
            else:
                parts.append(self._special(char))
        return "".join(parts)

    def _read_escape(self) -> str:
        escaped = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        return "" if escaped == "\n" else escaped if escaped in '"\\$`' else "\\" + escaped

    def _special(self, char: str) -> str:
        """A `$` or a backquote, with what it begins."""
        start = self.at
        self.at += 1
        if char == "`":
            self._read_nested("`")
        elif self.text.startswith("(", self.at):
            self.at += 1
            self._read_nested(")")
        elif self.text.startswith("'", self.at):
            return self._ansi()
        elif (braced := _BRACED.match(self.text, start)) is not None:
            self.at = braced.end()
        return self.text[start : self.at]

    def _ansi(self) -> str:
        self.at += 1
        start = self.at
        while self.at < len(self.text) and self.text[self.at] != "'":
            self.at += 2 if self.text[self.at] == "\\" else 1
        inside = self.text[start : self.at]
        self.at += 1
        return inside

    def _read_nested(self, end: str) -> None:
        if self.depth >= MAX_DEPTH:
            return
        self.depth += 1
        self._mark(OPENED)
        self.run(end)
        self._mark(CLOSED)
        self.depth -= 1
