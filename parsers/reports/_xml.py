"""Reads XML test reports as a stream: entities forbidden, memory bounded, never raises."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from parsers.reports._collect import Collector

_CHUNK_CHARACTERS = 1 << 20
_MAX_DEPTH = 200
_MAX_TEXT = 2_000
# Meson writes a TAP program's exit status behind its output, so the end is stored as well.
_MAX_TAIL = 400
_MAX_MARKS = 64
_MAX_ELEMENTS = 500_000
_HEAD_CHARACTERS = 64 * 1024
_START_TAG = re.compile(r"<([A-Za-z_][\w.-]*)")


class _DocumentTooLarge(Exception):
    """The document is beyond what a test report needs."""


@dataclass
class XmlElement:
    """A record or a container: its attributes, its interesting descendants, its first text.

    `tally` counts its marks, all of them; of a container, for the reader of the format, what its records
    came to.
    """

    tag: str
    attributes: dict[str, str]
    parent: XmlElement | None
    marks: dict[str, list[XmlElement]] = field(default_factory=dict)
    tally: Counter[str] = field(default_factory=Counter)
    _text: list[str] = field(default_factory=list)
    _length: int = 0
    _tail: str = ""

    def text(self) -> str:
        """The text of the element itself, bounded at some 2,000 characters."""
        return "".join(self._text)[:_MAX_TEXT].strip()

    def ends(self) -> str:
        """The text of the element itself; of a long text its first and its last characters, on two lines."""
        if self._length <= _MAX_TEXT:
            return "".join(self._text)
        return f"{''.join(self._text)[:_MAX_TEXT]}\n{self._tail}"

    def text_of(self, tag: str) -> str:
        """The text of the first descendant `tag`, or ""."""
        return self.marks[tag][0].text() if self.marks.get(tag) else ""

    def say(self, data: str) -> None:
        """Take more text, up to the bound."""
        if self._length < _MAX_TEXT:
            self._text.append(data[:_MAX_TEXT])
        self._length += len(data)
        self._tail = (self._tail + data[-_MAX_TAIL:])[-_MAX_TAIL:]

    def mark(self, child: XmlElement) -> None:
        """Keep a descendant: the first ones of a tag, and always the last."""
        self.tally[child.tag] += 1
        children = self.marks.setdefault(child.tag, [])
        # Catch2's last OverallResult decides, however many assertions precede it.
        if len(children) >= _MAX_MARKS:
            children.pop()
        children.append(child)


class _Target:
    """What the parser calls. Stores elements until `Reader` takes them, no longer."""

    def __init__(self, records: Collection[str], marks: Collection[str]) -> None:
        self.records = records
        self.marks = marks
        self.stack: list[XmlElement] = []
        self.record: XmlElement | None = None
        self.done: list[XmlElement] = []
        self.closed = False
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.stack) >= _MAX_DEPTH:
            raise _DocumentTooLarge(f"nested more than {_MAX_DEPTH} deep")
        if self.count > _MAX_ELEMENTS:
            raise _DocumentTooLarge(f"more than {_MAX_ELEMENTS} elements")
        # Check's root has a namespace, which the parser puts before the name of each element.
        tag = tag.rpartition("}")[2]
        above = self.stack[-1] if self.stack and self.record is None else None
        element = XmlElement(tag, attributes, above)
        self.stack.append(element)
        if self.record is None:
            self.record = element if tag in self.records else None
        elif tag in self.marks:
            self.record.mark(element)

    def data(self, data: str) -> None:
        if self.record is not None:
            self.stack[-1].say(data)

    def end(self, tag: str) -> None:
        element = self.stack.pop()
        if self.record is None or element is self.record:
            self.record = None
            self.done.append(element)
        self.closed = not self.stack

    def close(self) -> None:
        return None


class Reader:
    """Iterates over a document's records and, as they end, the containers around them.

    `root` is the outermost element; text around the document is a problem, a second document a
    doubt. Afterwards `closed` says whether the root's end was reached, and `unfinished` is the
    record in which the document broke off.
    """

    def __init__(
        self,
        text: str,
        root: str,
        records: Collection[str],
        marks: Collection[str],
        collector: Collector,
    ) -> None:
        self._text = text
        self._root = root
        self._collector = collector
        self._target = _Target(records, marks)
        self.unfinished: XmlElement | None = None

    @property
    def is_closed(self) -> bool:
        return self._target.closed

    def __iter__(self) -> Iterator[XmlElement]:
        target = self._target
        begin = self._begin()
        parser = DefusedXMLParser(target=target)
        try:
            for piece in self._pieces(begin):
                parser.feed(piece)
                yield from target.done
                target.done.clear()
            parser.close()
        except ParseError as error:
            yield from target.done
            self._note_broken(f"XML: {error}")
        # Entities that expand to further entities take memory without bound; defusedxml refuses them.
        except (DefusedXmlException, _DocumentTooLarge, ValueError) as error:
            yield from target.done
            self._collector.doubt(f"XML: {error}")
            target.closed = False
        if not target.closed:
            self.unfinished = target.record

    def _pieces(self, start: int) -> Iterator[str]:
        """The text in pieces; larger ones while no element starts.

        Expat scans an unfinished token again from its start with every piece it receives.
        """
        size, previous = _CHUNK_CHARACTERS, -1
        while start < len(self._text):
            yield self._text[start : start + size]
            start += size
            size = size * 2 if self._target.count == previous else _CHUNK_CHARACTERS
            previous = self._target.count

    def _begin(self) -> int:
        """Where the document starts: programs print before their reports."""
        text = self._text
        starts = [m.start() for m in re.finditer(rf"<{self._root}[\s>/]", text)]
        if len(starts) > 1 or text.count(f"</{self._root}>") > 1:
            self._collector.doubt(f"more than one <{self._root}> in the report")
        if not starts:
            if text.strip():
                self._collector.doubt(f"there is no <{self._root}> in the report")
            return len(text)
        # The last prologue before the root belongs to the document; a program may have printed another.
        prologs = (text.rfind(sign, 0, starts[0]) for sign in ("<?xml ", "<!DOCTYPE"))
        return min((at for at in prologs if at >= 0), default=starts[0])

    def _note_broken(self, line: str) -> None:
        if self._target.closed:  # text after the document
            self._collector.problem(line)
        elif f"<{self._root}" in self._text:
            self._collector.doubt(line)


def head_tags(text: str) -> list[tuple[str, str]]:
    """The first elements in `text` as (name, the rest of the start tag)."""
    tags = []
    for match in _START_TAG.finditer(text[:_HEAD_CHARACTERS]):
        rest = text[match.end() : match.end() + 2_000]
        tags.append((match[1], rest.partition(">")[0]))
        if len(tags) == 4:
            break
    return tags
