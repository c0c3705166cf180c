"""Small changes of an input, for the campaign around a PoC. Each takes an input and a source of chance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

Mutator = Callable[[bytes, Random], bytes]
# Values of fields, by their width in bytes, at which programs differ.
EDGES = {
    1: (0, 1, 0x7F, 0x80, 0xFF),
    2: (0, 1, 0x7FFF, 0x8000, 0xFFFF),
    4: (0, 1, 0x7FFFFFFF, 0xFFFFFFFF),
}
PARTING = b"\n\t \0/.,;:([{\xff"
# Bytes to which a part of an input grows at most.
MAX_GROWN = 1 << 16
# Bytes that one change inserts or removes at most.
LONGEST = 64


def _random_index(data: bytes, chance: Random, width: int = 1) -> int:
    return chance.randrange(max(1, len(data) - width + 1))


def _span(data: bytes, chance: Random) -> tuple[int, int]:
    start = _random_index(data, chance)
    return start, min(len(data), start + chance.randint(1, min(LONGEST, max(1, len(data)))))


def flip_bit(data: bytes, chance: Random) -> bytes:
    at = _random_index(data, chance)
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def set_byte(data: bytes, chance: Random) -> bytes:
    at = _random_index(data, chance)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def copy_byte(data: bytes, chance: Random) -> bytes:
    """Replace a byte by a copy of a byte elsewhere in the input, which the format probably allows."""
    at = _random_index(data, chance)
    return data[:at] + bytes([data[_random_index(data, chance)]]) + data[at + 1 :]


def same_class(data: bytes, chance: Random) -> bytes:
    """A letter becomes another letter, a digit another digit; anything else its neighbour."""
    at = _random_index(data, chance)
    old = data[at]
    for low, high in (b"az", b"AZ", b"09"):
        if low <= old <= high:
            return data[:at] + bytes([chance.randint(low, high)]) + data[at + 1 :]
    return data[:at] + bytes([(old + chance.choice((-1, 1))) % 256]) + data[at + 1 :]


def set_field(data: bytes, chance: Random) -> bytes:
    """A number of 1, 2 or 4 bytes, in either order, becomes an edge, or a little more or less."""
    width = chance.choice([width for width in EDGES if width <= len(data)])
    at, order = _random_index(data, chance, width), chance.choice(("little", "big"))
    old = int.from_bytes(data[at : at + width], order)  # type: ignore[arg-type]
    near = (old + chance.randint(-16, 16)) % (1 << 8 * width)
    new = chance.choice((near, chance.choice(EDGES[width])))
    return data[:at] + new.to_bytes(width, order) + data[at + width :]  # type: ignore[arg-type]


def truncate(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data))]


def remove_span(data: bytes, chance: Random) -> bytes:
    start, stop = _span(data, chance)
    return data[:start] + data[stop:]


def insert_bytes(data: bytes, chance: Random) -> bytes:
    at = chance.randint(0, len(data))
    return data[:at] + chance.randbytes(chance.randint(1, 8)) + data[at:]


def insert_like_another(data: bytes, chance: Random) -> bytes:
    at, byte = chance.randint(0, len(data)), data[_random_index(data, chance)]
    return data[:at] + bytes([byte]) * chance.randint(1, LONGEST) + data[at:]


def insert_run(data: bytes, chance: Random) -> bytes:
    """Insert a long run of a byte that separates texts: lines, depth and padding count in some programs."""
    at = chance.choice((0, len(data), chance.randint(0, len(data))))
    return data[:at] + bytes([chance.choice(PARTING)]) * (1 << chance.randint(5, 12)) + data[at:]


def repeat_span(data: bytes, chance: Random) -> bytes:
    start, stop = _span(data, chance)
    at = chance.choice((stop, len(data), chance.randint(0, len(data))))
    return data[:at] + data[start:stop] + data[at:]


def grow(data: bytes, chance: Random) -> bytes:
    """A part many times over: what holds for small inputs only shows in large ones."""
    start, stop = _span(data, chance)
    times = min(1 << chance.randint(3, 12), MAX_GROWN // (stop - start))
    return data[:start] + data[start:stop] * times + data[stop:]


def swap_spans(data: bytes, chance: Random) -> bytes:
    cuts = sorted(chance.randint(0, len(data)) for _ in range(3))
    return data[: cuts[0]] + data[cuts[1] : cuts[2]] + data[cuts[0] : cuts[1]] + data[cuts[2] :]


MUTATORS: tuple[Mutator, ...] = (
    flip_bit,
    set_byte,
    copy_byte,
    same_class,
    set_field,
    truncate,
    remove_span,
    insert_bytes,
    insert_like_another,
    insert_run,
    repeat_span,
    grow,
    swap_spans,
)
