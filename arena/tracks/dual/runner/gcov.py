"""What gcov would say, read from the compiler's notes (.gcno) and a program's counts (.gcda).

The formats are those of GCC's `gcov-io.h`, as GCC 12 and later write them (lengths in bytes). Counts are
written only for the arcs off a spanning tree of a function's flow graph; those on it follow from what flows
into a block being what flows out of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

_NOTES, _COUNTS = b"oncg", b"adcg"
_FUNCTION, _BLOCKS, _ARCS, _LINES, _COUNTER = (
    0x01000000,
    0x01410000,
    0x01430000,
    0x01450000,
    0x01A10000,
)
_ON_TREE = 1
# Notes come out of a jail: a number in them must not decide how much memory is taken.
_LARGEST = 1_000_000


class Unreadable(ValueError):
    """Data that is none of these formats."""


@dataclass
class _Arc:
    source: int
    target: int
    on_tree: bool
    count: int | None = None


@dataclass
class _Function:
    blocks: int = 0
    arcs: list[_Arc] = field(default_factory=list)
    lines: list[tuple[int, str, int]] = field(default_factory=list)  # block, file, line


class _Words:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def word(self) -> int:
        try:
            (value,) = struct.unpack_from("<I", self.data, self.at)
        except struct.error as error:
            raise Unreadable("cut off") from error
        self.at += 4
        return int(value)

    def text(self) -> str:
        length = self.word()
        raw = self.data[self.at : self.at + length]
        if len(raw) != length:
            raise Unreadable("cut off")
        self.at += length
        return raw.rstrip(b"\0").decode("utf-8", "replace")

    def has_more(self) -> bool:
        return self.at + 4 <= len(self.data)


def _records(words: _Words) -> Iterator[tuple[int, int, _Words]]:
    """(tag, signed length, the content) of each record; a zero tag ends them."""
    while words.has_more():
        tag = words.word()
        if not tag:
            return
        length = words.word()
        signed = length - (1 << 32) if length >= 1 << 31 else length
        size = max(signed, 0)
        content = _Words(words.data[words.at : words.at + size])
        if len(content.data) != size:
            raise Unreadable("cut off")
        words.at += size
        yield tag, signed, content


def stamp(data: bytes) -> int | None:
    """The stamp that notes and counts of a compilation share; None when `data` is neither."""
    return (
        struct.unpack_from("<I", data, 8)[0]
        if len(data) >= 12 and data[:4] in (_NOTES, _COUNTS)
        else None
    )


def is_notes(data: bytes) -> bool:
    return data[:4] == _NOTES


def _notes(data: bytes) -> dict[int, _Function]:
    words = _Words(data, 12)
    words.word()  # checksum
    words.text()  # the folder it was compiled in
    words.word()  # whether unexecuted blocks are reported
    functions: dict[int, _Function] = {}
    at, blocks = _Function(), 0
    for tag, _, content in _records(words):
        if tag == _FUNCTION:
            at = functions.setdefault(content.word(), _Function())
        elif tag == _BLOCKS:
            at.blocks = content.word()
            blocks += at.blocks
            if blocks > _LARGEST:
                raise Unreadable("too many blocks")
        elif tag == _ARCS:
            source = content.word()
            while content.has_more():
                at.arcs.append(_Arc(source, content.word(), bool(content.word() & _ON_TREE)))
        elif tag == _LINES:
            _lines(at, content)
    return functions


def _lines(function: _Function, content: _Words) -> None:
    block, file = content.word(), ""
    while content.has_more():
        line = content.word()
        if line:
            function.lines.append((block, file, line))
            continue
        file = content.text()
        if not file:
            return


def _counts(data: bytes) -> dict[int, list[int]]:
    words = _Words(data, 16)
    counts: dict[int, list[int]] = {}
    ident = None
    for tag, length, content in _records(words):
        if tag == _FUNCTION:
            ident = content.word() if content.has_more() else None
        elif tag == _COUNTER and ident is not None:
            if length < 0:  # all of them are zero, and left out
                counts[ident] = []
            else:
                counts[ident] = list(
                    struct.unpack(f"<{length // 8}Q", content.data[: length // 8 * 8])
                )
    return counts


def _solve(function: _Function, counts: list[int]) -> list[int | None]:
    """Executions of each block. Linear: a block is looked at again when an arc of it is determined."""
    into: list[list[_Arc]] = [[] for _ in range(function.blocks)]
    out: list[list[_Arc]] = [[] for _ in range(function.blocks)]
    remaining = iter(counts)
    for arc in function.arcs:
        if arc.source >= function.blocks or arc.target >= function.blocks:
            raise Unreadable("an arc to no block")
        # Counts come in the order of the arcs, without those on the tree.
        arc.count = None if arc.on_tree else next(remaining, 0)
        out[arc.source].append(arc)
        into[arc.target].append(arc)
    unknown = [[sum(a.count is None for a in arcs) for arcs in side] for side in (into, out)]
    total: list[int | None] = [None] * function.blocks
    # No recursion: the depth of a flow graph is the program's choice.
    waiting = list(range(function.blocks))
    while waiting:
        block = waiting.pop()
        for side, arcs in enumerate((into[block], out[block])):
            if total[block] is None and arcs and not unknown[side][block]:
                total[block] = sum(a.count or 0 for a in arcs)
        for side, arcs in enumerate((into[block], out[block])):
            if total[block] is not None and unknown[side][block] == 1:
                arc = next(a for a in arcs if a.count is None)
                # A program that was killed while counting, or hostile counts, may give sums that do not fit.
                arc.count = max(0, (total[block] or 0) - sum(a.count or 0 for a in arcs))
                unknown[1][arc.source] -= 1
                unknown[0][arc.target] -= 1
                waiting += [arc.source, arc.target]
    return total


def lines(notes: bytes, counts: bytes) -> dict[str, dict[int, bool]]:
    """Source file -> line -> whether it ran. Raises Unreadable."""
    counted = _counts(counts) if counts else {}
    result: dict[str, dict[int, bool]] = {}
    for ident, function in _notes(notes).items():
        ran = _solve(function, counted[ident]) if ident in counted else [0] * function.blocks
        for block, file, line in function.lines:
            if block >= len(ran):
                raise Unreadable("a line of no block")
            file_lines = result.setdefault(file, {})
            # A line may be in several blocks, and a function in a header in several objects: once run is run.
            file_lines[line] = file_lines.get(line, False) or bool(ran[block])
    return result
