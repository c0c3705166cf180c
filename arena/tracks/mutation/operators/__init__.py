"""The 25 mutation operators of SecMutBench (Section 3.2, Table 2), a file each, looked up by file name.

A file's `PLUGIN` is an `Operator` (see `_operator.py`) and carries its examples, written as patches (see
`_examples.py`).
"""

from __future__ import annotations

from functools import cache

from arena.tracks.mutation.operators._operator import Operator

PACKAGE = "arena.tracks.mutation.operators"


@cache
def all_operators() -> tuple[Operator, ...]:
    """Every operator, by name."""
    from parsers import registry

    operators = (registry.lookup(PACKAGE, name) for name in registry.names(PACKAGE))
    return tuple(sorted(operators, key=lambda operator: operator.name))


@cache
def operator_of(name: str) -> Operator | None:
    """The operator of that name as the paper writes it (`PSQLI`), or None."""
    return next((operator for operator in all_operators() if operator.name == name), None)
