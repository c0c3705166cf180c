"""Whether a commit changed code, or only how it is formatted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from szz.change import ChangedFile, Differ
from szz.code import TOKEN
from szz.paths import is_code
from szz.repository import MAX_BLOB, Repository

SPLICE = re.compile(rb"\\\r?\n")
# An include whose place among others a formatter may change: not that of a table, read in its order.
SORTED = re.compile(rb'# include (?:"[^"]*\.h[a-z+]*"|<.* \. h\w*(?: \+)* >|< [^.]* >)')
# A literal whose last character another would be read into, were the two one.
ENDS_IN_NUMBER = re.compile(rb'\\(?:x[0-9a-fA-F]*|[0-7]{1,3})"$')
# Endings of what Flex and Ragel read: white space counts there, and `//` begins no comment.
PATTERNS = (b".l", b".ll", b".lpp", b".rl")
# Before code that C takes for a comment.
RE2C = re.compile(rb"/\*!(?:[\w-]+:)?re2")
MAX_SORTED = 200
# Changes without lines that are none of code. A submodule's, or of what git takes for binary, may be.
HARMLESS = frozenset({"mode only", "renamed"})


def changes_no_code(repository: Repository, commit: str) -> bool:
    """Whether a commit with a single parent changes only white space, comments and the like (`same_code`).

    In files that are not C or C++ only blank lines and blank ends of lines may change, because indentation
    may count there. Raises SzzError.
    """
    return _is_plain(repository, commit) and all(
        alike for _, alike in _compare_changes(repository, commit)
    )


def keeps_code(repository: Repository, commit: str, paths: Collection[bytes]) -> bool:
    """Whether a commit with a single parent changes no code of these paths and moves none of them.

    Raises SzzError.
    """
    return _is_plain(repository, commit) and all(
        alike and change.path == change.after
        for change, alike in _compare_changes(repository, commit)
        if change.path in paths or change.after in paths
    )


def _is_plain(repository: Repository, commit: str) -> bool:
    """Whether a commit is no merge and no root."""
    return len(repository.commit(commit).parents) == 1


def _compare_changes(repository: Repository, commit: str) -> Iterator[tuple[ChangedFile, bool]]:
    """Each change of a commit with a single parent, and whether its code stays; the quickest checks first."""
    (parent,) = repository.commit(commit).parents
    differ = Differ(repository)
    try:
        changes = differ.diff(commit, parent)
        back = {change.path: change.blob for change in differ.diff(parent, commit)}
    finally:
        differ.close()
    for change in sorted(
        changes, key=lambda change: bool(change.blocks) and not change.untraced_reason
    ):
        alike = not change.untraced_reason or change.untraced_reason in HARMLESS
        if alike and change.blocks:
            alike = _alike(repository, change, back.get(change.after, ""))
        yield change, alike


def _alike(repository: Repository, change: ChangedFile, blob: str) -> bool:
    if not blob:  # git pairs renames in another way when it looks back
        return False
    sides = [repository.read(side) for side in (change.blob, blob)]
    if any(kind != "blob" or len(content) >= MAX_BLOB for kind, content in sides):
        return False  # of a partial clone, or not read to its end
    (_, before), (_, after) = sides
    make = change.path.rpartition(b"/")[2].startswith(b"Makefile")
    plain = (
        make
        or not is_code(change.path)
        or change.path.endswith(PATTERNS)
        or RE2C.search(before + after)
    )
    return _lines(before) == _lines(after) if plain else same_code(before, after)


def _lines(content: bytes) -> list[bytes]:
    return [line.rstrip() for line in content.split(b"\n") if line.strip()]


def same_code(before: bytes, after: bytes) -> bool:
    """Whether two files are the same code, formatted differently.

    White space, line ends and comments may differ, where a string literal is broken, and the order of
    adjacent includes: what a formatter (clang-format, indent) changes.
    """
    return before == after or _tokens(before) == _tokens(after)


def _tokens(content: bytes) -> list[bytes]:
    """The file's tokens; a directive is a single token, and ends where its line does."""
    tokens: list[bytes] = []
    directive: list[bytes] | None = None
    fresh = True  # nothing but white space and comments before it on its line
    apart = True  # from the token before
    for match in TOKEN.finditer(SPLICE.sub(b"", content)):
        token = match[0]
        if match["comment"] is not None or token.isspace():
            apart = True
            if b"\n" in token and match["comment"] is None:
                _close(tokens, directive)
                fresh, directive = True, None
            continue
        if token == b"#" and fresh:
            directive = []
        _add(tokens if directive is None else directive, token, apart)
        fresh = apart = False
    _close(tokens, directive)
    return tokens


def _add(stream: list[bytes], token: bytes, apart: bool) -> None:
    """Append a token, with the space before it where that decides: `++`, `&&`, and a macro's parameters."""
    last = stream[-1] if stream else b""
    # Adjacent literals are a single literal to the compiler, and formatters break long ones.
    if token[:1] == b'"' == last[:1] and not ENDS_IN_NUMBER.search(last):
        stream[-1] = last.removesuffix(b'"') + token[1:]
        return
    # `#define F(x)` takes a parameter, `#define F (x)` none: the blank decides.
    named = stream[:2] == [b"#", b"define"] and len(stream) == 3
    if not apart and (token == b"(" if named else last == token and token in (b"+", b"-", b"&")):
        stream[-1] = last + token
    else:
        stream.append(token)


def _close(tokens: list[bytes], directive: list[bytes] | None) -> None:
    """Append a directive as a token; an include goes before those that precede it and sort after it."""
    if directive is None:
        return
    token = b" ".join(directive)
    place = len(tokens)
    if SORTED.fullmatch(token):
        # Bounded: a file of includes in falling order would take time by the square.
        least = max(0, place - MAX_SORTED)
        while place > least and tokens[place - 1] > token and SORTED.fullmatch(tokens[place - 1]):
            place -= 1
    tokens.insert(place, token)
