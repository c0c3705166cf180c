"""Hints in a fix on the input that it is about: text that it adds to tests, and literals beside its change.

Developers who fix a report often add its input, or a similar input, as a test, a line of a file or a string
in the message. Each such text is an input to begin with, each literal near the change a word of a dictionary,
and so are the keywords of the sources that it changes: what a parser compares its input with stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from szz.paths import outside
from szz.repository import GitFailed, Repository

LITERAL = re.compile(
    rb"\"((?:[^\"\\\n]|\\.){1,2000})\"|'((?:[^'\\\n]|\\.){1,2000})'|`([^`\n]{2,2000})`"
)
ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
NAMED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
MAX_TEXTS, MAX_WORDS = 200, 400
LONGEST_TEXT, LONGEST_WORD = 64 << 10, 40
MAX_DIFF = 4 << 20
MAX_FIXES = 3
MAX_SOURCES = 20
KEYWORD = re.compile(rb"[!-~]{2,20}")


@dataclass(frozen=True)
class Hints:
    """texts: inputs to begin with, each once. words: for a dictionary, each once."""

    texts: tuple[bytes, ...] = ()
    words: tuple[bytes, ...] = ()

    @property
    def dictionary(self) -> bytes:
        """The words in libFuzzer's form (https://llvm.org/docs/LibFuzzer.html, "Dictionaries"); never empty,
        which libFuzzer would refuse."""
        return b"# from the fix\n" + b"".join(
            b'"' + _escape_word(word) + b'"\n' for word in self.words
        )


def hints_of(repository: Repository, fixes: Sequence[str]) -> Hints:
    """Hints from the messages and the diffs of the fixes; nothing of a fix that cannot be read."""
    texts: dict[bytes, None] = {}
    words: dict[bytes, None] = {}
    keywords: dict[bytes, None] = {}
    for fix in fixes[:MAX_FIXES]:
        try:
            message = repository.git("show", "-s", "--format=%B", fix, "--")
            diff = repository.git("diff-tree", "-p", "-U8", "--no-color", f"{fix}^1", fix, "--")
        except GitFailed:
            continue
        texts.update(dict.fromkeys(_split_text(message)))
        # An import of a library as a "fix" would fill the dictionary with words that have nothing to do with
        # it.
        if len(diff) > MAX_DIFF:
            continue
        for name, added in _added_texts(diff):
            added_literals = list(literals(added))
            texts.update(
                dict.fromkeys(_split_text(added) if outside(name, "source") else added_literals)
            )
        words.update(dict.fromkeys(w for w in literals(diff) if len(w) <= LONGEST_WORD))
        keywords.update(dict.fromkeys(_keywords(repository, fix, diff)))
    fit = [text for text in texts if 1 < len(text) <= LONGEST_TEXT]
    return Hints(tuple(fit[:MAX_TEXTS]), tuple({**words, **keywords})[:MAX_WORDS])


def literals(text: bytes) -> Iterator[bytes]:
    """The content of quoted strings, with the escapes of C resolved."""
    for match in LITERAL.finditer(text):
        raw = match[1] or match[2] or match[3] or b""
        yield ESCAPE.sub(_unescape, raw)


def _unescape(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 16)])
    return bytes([int(escape[2], 8) & 0xFF]) if escape[2] else NAMED.get(escape[3], escape[3])


def _added_texts(diff: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(path, text that was added) of each file of a diff that git wrote."""
    for section in re.split(rb"^diff --git ", diff, flags=re.MULTILINE)[1:]:
        head, _, body = section.partition(b"\n@@")
        name = re.search(rb"^\+\+\+ b/(.*)$", head, re.MULTILINE)
        lines = [line[1:] for line in body.split(b"\n") if line.startswith(b"+")]
        if name and lines:
            yield name[1], b"\n".join(lines)


def _keywords(repository: Repository, fix: str, diff: bytes) -> Iterator[bytes]:
    """Short literals of the sources that a fix changes, as they were before."""
    names = re.findall(rb"^--- a/(.*)$", diff, re.MULTILINE)
    for name in [name for name in names if not outside(name, "source")][:MAX_SOURCES]:
        try:
            content = repository.git("cat-file", "blob", f"{fix}^1:".encode() + name)
        except GitFailed:
            continue
        yield from filter(KEYWORD.fullmatch, literals(content[:MAX_DIFF]))


def _split_text(text: bytes) -> Iterator[bytes]:
    """The whole, each paragraph and each line of it, and what is quoted in it."""
    yield text.strip(b"\n") + b"\n"
    yield from (part + b"\n" for part in re.split(rb"\n\s*\n", text) if part.strip())
    yield from (line.strip() for line in text.splitlines())
    yield from literals(text)


def _escape_word(word: bytes) -> bytes:
    plain = {*range(0x20, 0x7F)} - set(b'"\\')
    return b"".join(bytes([c]) if c in plain else b"\\x%02x" % c for c in word)
