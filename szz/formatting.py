"""Whether a commit changed code, or only how it is formatted."""

from __future__ import annotations

import re

from szz.change import ChangedFile, Differ
from szz.code import TOKEN
from szz.paths import is_code
from szz.repository import Repository

SPLICE = re.compile(rb"\\\r?\n")
INCLUDE = (b"#", b"include")


def changes_no_code(repository: Repository, commit: str) -> bool:
    """Whether a commit of one parent changes nothing but white space, comments and the like (`same_code`).

    Of files in other languages nothing but white space within lines, and blank lines. Raises SzzError.
    """
    parents = repository.commit(commit).parents
    if len(parents) != 1:
        return False
    differ = Differ(repository, ("-w", "--ignore-blank-lines"))
    try:
        changes = [change for change in differ.diff(commit, parents[0]) if change.blocks]
        back = {change.path: change.blob for change in differ.diff(parents[0], commit)}
    finally:
        differ.close()
    return all(_alike(repository, change, back[change.after]) for change in changes)


def _alike(repository: Repository, change: ChangedFile, blob: str) -> bool:
    before, after = (repository.read(one)[1] for one in (change.blob, blob))
    if is_code(change.path):
        return same_code(before, after)
    return _words(before) == _words(after)


def _words(content: bytes) -> list[bytes]:
    joined = (b"".join(line.split()) for line in content.split(b"\n"))
    return [line for line in joined if line]


def same_code(before: bytes, after: bytes) -> bool:
    """Whether two files are the same code, formatted in two ways.

    White space, line ends and comments may differ, where a string literal is broken, and the order of
    includes that follow one another: what a formatter (clang-format, indent) changes.
    """
    return before == after or _tokens(before) == _tokens(after)


def _tokens(content: bytes) -> list[bytes]:
    """The file's tokens; a directive is one of them, and ends where its line does."""
    found: list[bytes] = []
    directive: list[bytes] | None = None
    fresh = True  # nothing but white space and comments before it on its line
    for match in TOKEN.finditer(SPLICE.sub(b"", content)):
        token = match[0]
        if match["comment"] is not None or token.isspace():
            if b"\n" in token and match["comment"] is None:
                _close(found, directive)
                fresh, directive = True, None
            continue
        if token == b"#" and fresh:
            directive = []
        stream = found if directive is None else directive
        if token[:1] == b'"' and stream and stream[-1][:1] == b'"':
            stream[-1] = stream[-1].removesuffix(b'"') + token[1:]
        else:
            stream.append(token)
        fresh = False
    _close(found, directive)
    return found


def _close(found: list[bytes], directive: list[bytes] | None) -> None:
    """Take a directive in as one token; an include goes before those that precede it and sort after it."""
    if directive is None:
        return
    token = b" ".join(directive)
    place = len(found)
    if tuple(directive[:2]) == INCLUDE:
        start = b" ".join(INCLUDE)
        while place and found[place - 1].startswith(start) and found[place - 1] > token:
            place -= 1
    found.insert(place, token)
