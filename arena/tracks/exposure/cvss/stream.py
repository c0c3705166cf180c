"""A JSON object of any size, read in pieces: the elements of a list in it, singly, and its remaining keys.

Memory is bounded by the largest element. Plain or gzip is decided by the content, never by the name.
"""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

CHUNK = 2**20
# Characters of one element; a record of NVD has some ten thousand, the largest below a million.
MAX_ELEMENT = 16 * 2**20
MAX_OTHERS = 100
# Bytes of one file, unpacked; all of NVD has about 1.5 GB.
MAX_UNPACKED = 8 * 2**30
# A JSON text that breaks off so near to its end was cut off.
LONGEST_LITERAL = len("-Infinity")
NUMERIC = ("", *"0123456789+-.eE")
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"

_SPACE = re.compile(r"[ \t\n\r]*")


class FeedError(ValueError):
    """A file that is no feed; the message is a single line that names it."""


class Elements:
    """Iterates over the elements of list `key` of the object in a file; FeedError for whatever is wrong.

    others: the object's remaining keys that hold a number, after iteration; no more than MAX_OTHERS.
    has_list: the list was there. refused: keys that show another kind of file, with the message for each.
    """

    def __init__(self, path: Path, key: str, refused: dict[str, str] | None = None) -> None:
        self.path, self.key = path, key
        self.refused = refused or {}
        self.others: dict[str, Any] = {}
        self.has_list = False

    def __iter__(self) -> Iterator[Any]:
        try:
            with self.path.open("rb") as raw:
                head = raw.peek(4)[:4]  # a pipe cannot be wound back
                self._expect_head(head)
                if head.startswith(GZIP):
                    with gzip.GzipFile(fileobj=raw) as unpacked:
                        yield from self._members(_Text(cast(IO[bytes], unpacked), self.path))
                else:
                    yield from self._members(_Text(raw, self.path))
        except EOFError as error:
            raise FeedError(f"{self.path}: a truncated gzip file") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise FeedError(f"{self.path}: a broken gzip file: {error}") from error
        except OSError as error:
            raise FeedError(f"{self.path}: {error.strerror}") from error

    def _expect_head(self, head: bytes) -> None:
        if not head:
            raise FeedError(f"{self.path}: empty")
        if head.startswith(ZIP):
            raise FeedError(f"{self.path}: a zip file; unpack it, or take the .json.gz")

    def _members(self, text: _Text) -> Iterator[Any]:
        if text.peek() == "<":
            raise FeedError(f"{self.path}: a page of HTML or XML, no JSON")
        text.expect("{")
        if text.peek() == "}":
            text.expect("}")
        else:
            while True:
                yield from self._member(text)
                if text.either(",", "}") == "}":
                    break
        text.expect_end()

    def _member(self, text: _Text) -> Iterator[Any]:
        name = text.value()
        if not isinstance(name, str):
            raise text.error("no JSON: a key is no text")
        if name in self.refused:
            raise FeedError(f"{self.path}: {self.refused[name]}")
        text.expect(":")
        if name != self.key:
            value = text.value()
            if isinstance(value, int | float) and len(self.others) < MAX_OTHERS:
                self.others[name] = value
            return
        if self.has_list:
            raise FeedError(f"{self.path}: {self.key!r} is there twice")
        self.has_list = True
        yield from _elements(text)


def _elements(text: _Text) -> Iterator[Any]:
    text.expect("[")
    if text.peek() == "]":
        text.expect("]")
        return
    while True:
        yield text.value()
        if text.either(",", "]") == "]":
            return


class _Text:
    """A window on decoded text that only moves forward."""

    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path = stream, path
        # A character of several bytes may lie across two pieces.
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder()
        self._held, self._at, self._over = "", 0, False
        self._bytes = 0
        self._before = 0

    def error(self, what: str) -> FeedError:
        return FeedError(f"{self._path}: {what} at character {self._before + self._at}")

    def peek(self) -> str:
        """The next character that is no space, "" at the end."""
        while True:
            space = _SPACE.match(self._held, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def either(self, *wanted: str) -> str:
        """Pass any of these characters, and return it."""
        character = self.peek()
        if character not in wanted:
            raise self._report_unexpected(character, " or ".join(wanted))
        self._at += 1
        return character

    def expect(self, wanted: str) -> None:
        self.either(wanted)

    def expect_end(self) -> None:
        if self.peek():
            raise self.error("something follows the end of the JSON object")

    def _report_unexpected(self, text: str, wanted: str) -> FeedError:
        if not text:
            return FeedError(f"{self._path}: truncated: it ends before its JSON does")
        return self.error(f"not what a feed holds: {text!r} where {wanted} is expected,")

    def value(self) -> Any:
        """Pass a single JSON value. Text is doubled and parsed anew until it is whole: linear in all."""
        self.peek()
        while True:
            broken: json.JSONDecodeError | None = None
            try:
                parsed, end = self._json.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                broken = error
            except (RecursionError, ValueError) as error:
                raise self.error(f"no JSON that is read here ({type(error).__name__})") from error
            # A number may go on in the next piece: "0" is a value, "0." none yet.
            if broken is None and (self._over or self._held[end : end + 1] not in NUMERIC):
                self._at = end
                return parsed
            left = len(self._held) - self._at
            if left > MAX_ELEMENT:
                raise self.error(f"no JSON: {broken.msg if broken else 'too long a number'}")
            if not self._more(left) and broken is not None:
                raise self._report_broken(broken)

    def _report_broken(self, error: json.JSONDecodeError) -> FeedError:
        """What is wrong where no more text comes: it was cut off, or it is not JSON."""
        cut = len(self._held) - error.pos <= LONGEST_LITERAL or error.msg.startswith("Unterminated")
        return self._report_unexpected("", "") if cut else self.error(f"no JSON: {error.msg}")

    def _more(self, least: int = 0) -> bool:
        """Drop what was passed and read on; False at the end."""
        if self._over:
            return False
        self._before += self._at
        # As much again as there is: an element of any size is parsed only a few times.
        data = self._stream.read(max(CHUNK, least))
        self._bytes += len(data)
        # A small gzip file can unpack without end.
        if self._bytes > MAX_UNPACKED:
            raise FeedError(f"{self._path}: more than {MAX_UNPACKED} bytes unpacked")
        try:
            new = self._decode.decode(data, final=not data)
        except UnicodeDecodeError as error:
            cut = "truncated: " if not data else ""
            raise FeedError(f"{self._path}: {cut}no UTF-8") from error
        self._held, self._at, self._over = self._held[self._at :] + new, 0, not data
        return True
