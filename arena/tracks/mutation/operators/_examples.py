"""Examples of operators, written as what a variant changes in a program."""

from __future__ import annotations

from arena.tracks.mutation.operators._operator import MutantExample


def changed(variant: str, before: str, *pairs: tuple[str, str]) -> MutantExample:
    """An example whose result is `before` with the first of each pair, which it holds once, as the second.

    Raises ValueError where it does not hold it once.
    """
    after = before
    for old, new in pairs:
        if after.count(old) != 1:
            raise ValueError(f"example of {variant}: {old!r} stands {after.count(old)} times")
        after = after.replace(old, new)
    return MutantExample(variant, before, after)


def left_alone(variant: str, before: str) -> MutantExample:
    """A program of which the operator makes nothing."""
    return MutantExample(variant, before, "")
