"""Values that are recorded as source text: read back, and the texts inside them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache


def value_of(text: str) -> object:
    """The value that a literal's source stands for; `...` where it is no literal."""
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ...


@lru_cache(maxsize=4096)
def texts_of(arguments: str) -> tuple[str, ...]:
    """Texts inside the repr of a call's arguments, longest first."""
    value = value_of(arguments)
    if value is ...:
        quoted = re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", arguments)
        values: Iterator[object] = (value_of(text) for text in quoted)
    else:
        values = leaves(value)
    texts = {
        # Latin-1 maps each byte to one character, so no bytes are lost.
        v.decode("latin-1") if isinstance(v, bytes) else v
        for v in values
        if isinstance(v, str | bytes)
    }
    # By length and then by text: a set has another order in each process.
    return tuple(sorted((t for t in texts if t), key=lambda t: (-len(t), t)))


def leaves(value: object) -> Iterator[object]:
    """All values in nested collections, keys of mapping too."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves(key)
            yield from leaves(entry)
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from leaves(entry)
    else:
        yield value
