"""The touched files as a compiler sees them: with their macros expanded and what they include in place.

A scanner reads `ID(strcpy)(a, b)`, a brace out of a macro or half a function out of `notes.txt` as it is
written. No compiler is run: only macros and files of the patch are available, and all branches of
conditionals stay. A name that is defined in several branches is read with each definition in turn.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from harness.grade.sast.macros import (
    ExpansionTooLarge,
    Macro,
    MacroBudget,
    MacroToken,
    Place,
    expand,
    macro,
    spell_tokens,
    token_lines,
)

# Of an expanded text.
MAX_BYTES = 750_000
# Steps and not seconds, so that a busy machine does not change which file counts as too large (law 5).
_STEPS = 300_000
_STEPS_PER_BYTE = 4
_MAX_DEPTH = 20
# Each further definition of a name under `#if` needs a reading of the whole file.
_MAX_READINGS = 4
_MAX_CALL_TOKENS = 2000
# Characters of a literal that may begin what a rule looks for.
_TAIL_CHARACTERS = 20
# Literals are joined only where the seam hides such a word: "%" "s" is a format like "%s".
_TELLING = re.compile(r"%[-+ #0-9*]*l?s|[A-Z]SAN_OPTIONS|/proc/|\.inc(?:lude|bin)")
_INCLUDES = frozenset({"include", "include_next", "import"})

Lines = Callable[[str], list[list[MacroToken]]]


@dataclass(frozen=True)
class Expanded:
    """A reading of a file; `places` has for each line of `text` whence it is. No places: too long a text.

    A line that stood in the first column does so still. `changed`: it differs from what is written.
    """

    text: bytes
    places: tuple[Place, ...]
    changed: bool = True


def expand_files(files: Mapping[str, bytes], paths: Iterable[str]) -> dict[str, list[Expanded]]:
    """The readings of each of `paths`; usually a single reading.

    `files` are all that may be included. A reading without places stands for an expansion that is too
    large. Raises nothing, and takes bounded time.
    """
    budget = MacroBudget(_STEPS + _STEPS_PER_BYTE * sum(map(len, files.values())))

    @cache
    def lines(path: str) -> list[list[MacroToken]]:
        return list(token_lines(path, files[path]))

    by_name = _index_by_last_name(files)
    expanded: dict[str, list[Expanded]] = {}
    for path in paths:
        try:
            expanded[path] = _readings(path, files, by_name, lines, budget)
        # Not scanned is reported as such, which is CS; an empty text would pass for a clean file.
        except ExpansionTooLarge:
            expanded[path] = [Expanded(b"", ())]
    return expanded


def _readings(
    path: str,
    files: Mapping[str, bytes],
    by_name: Mapping[str, str],
    lines: Lines,
    budget: MacroBudget,
) -> list[Expanded]:
    readings: dict[bytes, Expanded] = {}
    number, max_readings = 0, 1
    while number < min(max_readings, _MAX_READINGS):
        reader = _MacroReader(files, by_name, lines, budget, which=number)
        reader.read(path)
        reader.flush(final=True)
        reading = reader.result()
        readings.setdefault(reading.text, reading)
        number, max_readings = number + 1, reader.max_definitions
    return list(readings.values())


@dataclass
class _MacroReader:
    """Reads a file, and what it includes. `which` of several definitions of a macro it takes.

    versions: how often each name was defined anew, after `#undef`; bodies: what it was defined as then.
    """

    files: Mapping[str, bytes]
    by_name: Mapping[str, str]
    lines: Lines
    budget: MacroBudget
    which: int
    macros: dict[str, Macro] = field(default_factory=dict)
    defined: dict[str, list[Macro]] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    bodies: set[tuple[str, int, tuple[str, ...] | None, str]] = field(default_factory=set)
    max_definitions: int = 1
    changed: bool = False
    pending: list[MacroToken] = field(default_factory=list)
    out: list[MacroToken] = field(default_factory=list)
    reading: list[str] = field(default_factory=list)

    def read(self, path: str) -> None:
        self.reading.append(path)
        self.out.append(
            MacroToken("sign", "", True, (path, 0))
        )  # nothing before it shares its line
        for line in self.lines(path):
            self.budget.pay(1)
            if line and line[0].text == "#" and line[0].kind == "sign":
                self.flush()
                self._directive(path, line)
            else:
                self.pending += line
        self.reading.pop()

    def flush(self, final: bool = False) -> None:
        """Expand what came since the last directive; a call that is still open waits for more."""
        tokens, self.pending = self.pending, []
        while tokens:
            done, rest = expand(tokens, self.macros, self.budget)
            self.changed |= len(done) + len(rest) != len(tokens)
            self.changed |= any(token.hidden for token in done)
            joined = _join_literals(done)
            self.changed |= len(joined) != len(done)
            self.out += joined
            # A macro's call may go on behind a directive or in the file that includes this file.
            if rest and not final and len(rest) <= _MAX_CALL_TOKENS:
                self.pending = rest
                return
            self.out += rest[:1]
            tokens = rest[1:]

    def _directive(self, path: str, line: list[MacroToken]) -> None:
        name = line[1].text if len(line) > 1 else ""
        if name == "define":
            self._define(macro(line[2:]))
        elif name == "undef":
            for token in line[2:3]:
                self.macros.pop(token.text, None)
                self.defined.pop(token.text, None)
        elif name in _INCLUDES and (target := self._target(path, line[2:])) is not None:
            self.changed = True
            self.read(target)
        else:
            self.out += line

    def _define(self, new_macro: Macro | None) -> None:
        if new_macro is None:
            return
        if new_macro.name not in self.defined:
            self.versions[new_macro.name] = self.versions.get(new_macro.name, 0) + 1
        definitions = self.defined.setdefault(new_macro.name, [])
        body = (
            new_macro.name,
            self.versions[new_macro.name],
            new_macro.parameters,
            spell_tokens(new_macro.body),
        )
        if body not in self.bodies:
            self.bodies.add(body)
            definitions.append(new_macro)
            self.max_definitions = max(self.max_definitions, len(definitions))
        # The last one first: it is the one in force where there are no conditionals.
        self.macros[new_macro.name] = (
            definitions[-1] if not self.which else definitions[: self.which][-1]
        )

    def _target(self, path: str, tokens: Sequence[MacroToken]) -> str | None:
        """The file of the patch that an `#include` names, unless it is open or its guard is set."""
        if tokens and tokens[0].text[:1] not in ('"', "<"):
            tokens, _ = expand(tokens, self.macros, self.budget)
        if not tokens:
            return None
        text = spell_tokens(tokens)
        ending = {'"': '"', "<": ">"}.get(text[:1])
        name = text[1:].partition(ending)[0].strip() if ending else ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else None
        if target not in self.files:
            # The build knows the include folders; here the last name decides, so that no text is missed.
            target = self.by_name.get(posixpath.basename(name))
        # A file that includes itself would never end.
        if target is None or target in self.reading or len(self.reading) >= _MAX_DEPTH:
            return None
        return None if _guard(self.lines(target)) in self.defined else target

    def result(self) -> Expanded:
        """A separate line for each run of tokens from the same place."""
        parts: list[str] = []
        places: list[Place] = []
        size = 0
        for token in self.out:
            if not places or token.place != places[-1]:
                parts.append("\n" if places else "")
                places.append(token.place)
            parts.append(f" {token.text}" if token.space else token.text)
            size += len(token.text) + 1
            if size > MAX_BYTES:
                raise ExpansionTooLarge
        text = "".join(parts).encode("utf-8", "replace") + b"\n"
        return Expanded(text, tuple(places), self.changed)


def _join_literals(tokens: Iterable[MacroToken]) -> list[MacroToken]:
    """Join string literals side by side where what a rule looks for is split between them."""
    out: list[MacroToken] = []
    texts: list[str] = []  # of the last token of `out`, which are joined once it ends
    tail = ""
    for token in tokens:
        if token.text[:1] == '"' and tail[-1:] == '"':
            seam = tail[:-1] + token.text[1:]
            if _TELLING.search(seam) and not (_TELLING.search(tail) or _TELLING.search(token.text)):
                texts.append(token.text)
                tail = seam[-_TAIL_CHARACTERS:]
                continue
        _join_last(out, texts)
        out.append(token)
        texts, tail = [token.text], token.text[-_TAIL_CHARACTERS:]
    _join_last(out, texts)
    return out


def _join_last(out: list[MacroToken], texts: Sequence[str]) -> None:
    """Put a literal in place of the last token, where it goes on in further tokens."""
    if len(texts) > 1:
        inner = "".join(text[1:-1] for text in texts[1:-1])
        joined = texts[0][:-1] + inner + texts[-1][1:]
        out[-1] = MacroToken(out[-1].kind, joined, out[-1].space, out[-1].place)


def _index_by_last_name(files: Iterable[str]) -> dict[str, str]:
    """The first path of each last name."""
    return {posixpath.basename(path): path for path in sorted(files, reverse=True)}


def _guard(lines: list[list[MacroToken]]) -> str:
    """The macro that keeps a header from being read twice."""
    first = [[token.text for token in line[:3]] for line in islice(filter(None, lines), 2)]
    if len(first) == 2 and first[0][1:2] == ["ifndef"] and first[1][1:2] == ["define"]:
        return first[0][2] if first[0][2:] == first[1][2:] and first[0][2:] else ""
    return ""
