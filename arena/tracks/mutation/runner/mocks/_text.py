"""Does the text of an argument stand in a statement, and did it change the statement's structure?

A statement is cut into tokens. An argument inside a single token (a string's content, a word, a number) is
data; an argument that reaches over a token's end has become structure. All of it takes linear time.
"""

from __future__ import annotations

import bisect
import json
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arena.tracks.mutation.runner.mocks import Log
from arena.tracks.mutation.runner.mocks._observe import cut

MAX_TEXT = 20_000
MAX_ARGUMENTS = 40
# A shorter argument counts only where it is a whole token: it may stand anywhere by chance.
SHORT = 3


@dataclass(frozen=True)
class Language:
    """How to cut statements into tokens, what opens a string, and what acts even within `"`."""

    tokens: re.Pattern[str]
    quotes: str
    live: str = ""


SQL = Language(
    re.compile(
        r"'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)"
        r"|--[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\w+(?:\.\d+)?|\s+|[\s\S]"
    ),
    "'\"`",
)
XPATH = Language(re.compile(r"'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|\$?[\w.-]+|\s+|[\s\S]"), "'\"")
SHELL = Language(
    re.compile(
        r"'[^']*(?:'|\Z)|\"(?:\\.|[^\"\\])*(?:\"|\Z)|\\[\s\S]|[\w@%+=:,./-]+|[^\S\n]+|[\s\S]"
    ),
    "'\"",
    "$`",
)
SHELL_CHARACTERS = frozenset(";&|<>$`\n()#*?~!{}[]'\"\\")
LDAP_CHARACTERS = frozenset("()*\\\0")


def is_significant(argument: str) -> bool:
    """Whether an argument says enough to be looked for."""
    return bool(argument.strip()) and (len(argument) >= SHORT or argument.strip().isalnum())


def locate_arguments(text: str, arguments: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Arguments that stand in `text`, with the places of their first occurrences."""
    for argument in [a for a in arguments if is_significant(a)][:MAX_ARGUMENTS]:
        for variant in dict.fromkeys((argument, argument.strip())):
            at = text.find(variant)
            if at >= 0:
                yield variant, at
                break


def holds(text: str, arguments: Iterable[str]) -> bool:
    """Whether the text of some argument stands in `text`."""
    return any(True for _ in locate_arguments(text[:MAX_TEXT], arguments))


def structural(text: str, argument: str, at: int, language: Language, starts: list[int]) -> bool:
    """Whether the argument at `at` reaches over the end of a token (or brings quotes)."""
    first = bisect.bisect_right(starts, at) - 1
    begin = starts[first]
    end = starts[first + 1] if first + 1 < len(starts) else len(text)
    # A token that begins with a quote is a string, unless the text ends within it.
    if text[begin] in language.quotes:
        closed = end - begin > 1 and text[end - 1] == text[begin]
        inside = begin < at and at + len(argument) <= end - closed
        # In double quotes a shell still reads `$` and backquotes.
        return not inside or (text[begin] == '"' and bool(set(language.live) & set(argument)))
    return at + len(argument) > end


def judge(text: str, arguments: Iterable[str], language: Language) -> tuple[bool, bool]:
    """(some argument stands in the statement, some argument changed its structure)."""
    text = text[:MAX_TEXT]
    starts: list[int] = []
    is_present = changed = False
    for argument, at in locate_arguments(text, arguments):
        # Only once an argument is found in the text: most statements hold none.
        starts = starts or [match.start() for match in language.tokens.finditer(text)]
        structure = structural(text, argument, at, language, starts)
        begin = starts[bisect.bisect_right(starts, at) - 1]
        whole = at == begin or text[begin] in language.quotes
        if len(argument) < SHORT and not (whole or structure):
            continue
        is_present, changed = True, changed or structure
    return is_present, changed


def record_statement(
    log: Log, kind: str, text: str, language: Language, bound: object = ()
) -> None:
    """Record `<kind>.interpolated` and `<kind>.injected`; what is bound as a value is no part of it."""
    # The same text may be bound and stand in the statement by chance; bound it is no injection.
    values = set(map(str, bound.values() if isinstance(bound, dict) else _as_list(bound)))
    is_present, changed = judge(text, (a for a in log.arguments() if a not in values), language)
    if is_present:
        log.event(f"{kind}.interpolated", cut(text))
    if changed:
        log.event(f"{kind}.injected", cut(text))


def _as_list(bound: object) -> list[object]:
    return list(bound) if isinstance(bound, list | tuple) else []


def command_injected(line: str, arguments: Iterable[str]) -> bool:
    """Whether an argument's shell characters stand in a line not quoted as `shlex.quote` quotes them."""
    sharp = [a for a in arguments if SHELL_CHARACTERS & set(a)][:MAX_ARGUMENTS]
    # What is quoted properly is taken out first; the same argument may stand a second time, unquoted.
    return any(judge(line.replace(shlex.quote(a), "quoted"), [a], SHELL)[1] for a in sharp)


def record_command(log: Log, command: object, shell: bool) -> None:
    """Record what would be started, and whether an argument's shell characters stand unquoted in it."""
    if not shell:
        words = [command] if isinstance(command, str | bytes) else _words(command)
        log.event("command.run", cut(json.dumps([_plain(word) for word in words])))
        return
    line = _plain(command if isinstance(command, str | bytes) else next(iter(_words(command)), ""))
    log.event("command.shell", cut(line))
    if command_injected(line, log.arguments()):
        log.event("command.injected", cut(line))


def record_filter(log: Log, text: str) -> None:
    """Record an LDAP filter in which an argument's filter characters stand unescaped."""
    if any(a in text for a in log.arguments() if LDAP_CHARACTERS & set(a)):
        log.event("ldap.injected", cut(text))


def _words(command: object) -> list[object]:
    return list(command) if isinstance(command, list | tuple) else [command]


def _plain(word: object) -> str:
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)
