"""What makes texts of any size that are bad for whoever reads them."""

from __future__ import annotations

from collections.abc import Callable

Reader = Callable[[bytes], object]
Maker = Callable[[int], bytes]


def repeated(part: bytes, before: bytes = b"", after: bytes = b"") -> Maker:
    """`part` again and again."""
    return lambda size: before + part * (size // len(part)) + after


def numbered(part: str, before: bytes = b"") -> Maker:
    """`part` again and again with a number in place of N and the next one in place of M."""

    def make(size: int) -> bytes:
        length = len(part) + 5
        lines = (
            part.replace("N", f"{n:06}").replace("M", f"{n + 1:06}") for n in range(size // length)
        )
        return before + "".join(lines).encode()

    return make
