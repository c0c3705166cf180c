"""Bodies split into pieces, each stored once. Used by `record.py`, which documents the format on disk.

A body is a list of `[key, part]`. A part is the number of a piece, or `[value]` for a small plain value, or
`{"of": [part, ...]}` for a list. In a piece, `{"&": number}` stands for an earlier piece (long strings);
an object that has a key `&` itself is written `{"&": [[key, value], ...]}`.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from collections.abc import Callable, Mapping
from typing import Any

Body = Mapping[str, Any]
REFERENCE = "&"
# Levels of a piece that are searched for long strings; deeper ones are stored as they are.
MAX_DEPTH = 6
# Characters from which a string is a piece of its own.
MIN_PIECE_CHARACTERS = 200
# Characters up to which a string in a body is not worth a piece.
MAX_INLINE_CHARACTERS = 40
# Digests that are remembered; a piece that was forgotten is written again.
MAX_REMEMBERED = 50_000
NOT_STORED = "[not kept: no plain JSON, or nested too deeply]"


class BadPiece(ValueError):
    """A piece or body is not of the form above, or larger than allowed."""


class Packer:
    """Splits bodies. `write` gets each new piece as JSON, in the order of their numbers from 0."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._piece_numbers: dict[bytes, int] = {}
        self._count = 0

    def body(self, body: Body) -> list[Any]:
        """The body as `[key, part]` pairs; its new pieces have been written before."""
        return [[str(key), self._value(value)] for key, value in body.items()]

    def _value(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return {"of": [self._part(item) for item in value]}
        return self._part(value)

    def _part(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return [value]
        if isinstance(value, str) and len(value) <= MAX_INLINE_CHARACTERS:
            return [value]
        return self._number(value)

    def _number(self, value: Any) -> int:
        """Number of the piece with that value, written now when it is new."""
        try:
            # Version 2 of marshal has no back references: equal values give equal bytes.
            digest = hashlib.blake2b(marshal.dumps(value, 2), digest_size=16).digest()
            number = self._piece_numbers.get(digest)
            if number is not None:
                return number
            text = compact(value if isinstance(value, str) else self._shrunk(value, MAX_DEPTH))
        except (RecursionError, ValueError):
            return self._number(NOT_STORED)
        self._write(text)
        # The oldest goes: a conversation repeats its recent pieces at each call.
        if len(self._piece_numbers) >= MAX_REMEMBERED:
            del self._piece_numbers[next(iter(self._piece_numbers))]
        number = self._piece_numbers[digest] = self._count
        self._count += 1
        return number

    def _shrunk(self, value: Any, depth: int) -> Any:
        if not depth:
            return value
        if isinstance(value, str):
            return {REFERENCE: self._number(value)} if len(value) > MIN_PIECE_CHARACTERS else value
        if isinstance(value, list | tuple):
            return [self._shrunk(item, depth - 1) for item in value]
        if not isinstance(value, Mapping):
            return value
        shrunk = {key: self._shrunk(item, depth - 1) for key, item in value.items()}
        return (
            {REFERENCE: [list(pair) for pair in shrunk.items()]} if REFERENCE in value else shrunk
        )


class Unpacker:
    """Reassembles bodies. Pieces are shared between bodies: treat them as read-only.

    limit: characters that a body may have, counted as if nothing were shared, since whoever walks
    through a body does not see what is shared.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[tuple[Any, int]] = []

    def piece(self, content: Any, size: int) -> None:
        """Add the next piece; `size`: the characters that it had. Raises BadPiece."""
        sizes = [size]
        value = (
            content if isinstance(content, str) else self._unpack_value(content, MAX_DEPTH, sizes)
        )
        self._pieces.append((value, self._within(sizes)))

    def body(self, pairs: Any) -> dict[str, Any]:
        """The body of such pairs. Raises BadPiece."""
        sizes: list[int] = []
        if not isinstance(pairs, list):
            raise BadPiece("a body is no list of pairs")
        body = {}
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                raise BadPiece("a body is no list of pairs")
            body[pair[0]] = self._value(pair[1], sizes)
        self._within(sizes)
        return body

    def _within(self, sizes: list[int]) -> int:
        total = sum(sizes)
        if total > self._limit:
            raise BadPiece(f"a body has more than {self._limit} characters")
        return total

    def _value(self, value: Any, sizes: list[int]) -> Any:
        if isinstance(value, dict) and isinstance(value.get("of"), list):
            return [self._part(part, sizes) for part in value["of"]]
        return self._part(value, sizes)

    def _part(self, part: Any, sizes: list[int]) -> Any:
        if isinstance(part, list) and len(part) == 1:
            sizes.append(MAX_INLINE_CHARACTERS)
            return part[0]
        return self._number(part, sizes)

    def _number(self, number: Any, sizes: list[int]) -> Any:
        if isinstance(number, bool) or not isinstance(number, int):
            raise BadPiece("a body names a piece by something else than a number")
        if not 0 <= number < len(self._pieces):
            raise BadPiece(f"a body names piece {number}, which is not there")
        value, size = self._pieces[number]
        sizes.append(size)
        return value

    def _unpack_value(self, value: Any, depth: int, sizes: list[int]) -> Any:
        if not depth or not isinstance(value, dict | list):
            return value
        if isinstance(value, list):
            return [self._unpack_value(item, depth - 1, sizes) for item in value]
        if REFERENCE in value:
            if not isinstance(value[REFERENCE], list):
                return self._number(value[REFERENCE], sizes)
            value = self._read_reference_key(value)
        return {key: self._unpack_value(item, depth - 1, sizes) for key, item in value.items()}

    def _read_reference_key(self, value: dict[str, Any]) -> dict[str, Any]:
        """The object that has a key `&` itself. Raises BadPiece."""
        try:
            return {str(key): item for key, item in value[REFERENCE]}
        except (TypeError, ValueError) as error:
            raise BadPiece("an object in a piece is no list of pairs") from error


def compact(value: Any) -> str:
    """The value as JSON without line breaks. Raises RecursionError, ValueError."""
    return json.dumps(value, separators=(",", ":"))
