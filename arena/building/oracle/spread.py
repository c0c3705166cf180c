"""Which of many inputs around a PoC are kept: of many kinds, and no part of it the same in all."""

from __future__ import annotations

from itertools import islice, zip_longest

from tasks.neighbours import MOST, edits

SOME_MORE = MOST + MOST // 2
"""How many are chosen: some may not show the same once more."""
LARGE = 6
POOL = 256
"""The last inputs that are looked at one by one."""


def take_in_turns(made: dict[bytes, str]) -> list[bytes]:
    """Some more than `MOST` inputs, in turns by the change that made them."""
    by: dict[str, list[bytes]] = {}
    for data, how in made.items():
        by.setdefault(how, []).append(data)
    turns = (data for row in zip_longest(*by.values()) for data in row if data is not None)
    return list(islice(turns, SOME_MORE))


def far_and_wide(poc: bytes, made: dict[bytes, str]) -> list[bytes]:
    """Crashing inputs so that each byte of the PoC is another one in some of them, if it can be.

    First the largest; then by turns the one that changes most of what few have changed, and one of another
    kind.
    """
    largest = sorted(made, key=len, reverse=True)[:LARGE]
    pool = largest + take_in_turns(made) + list(made)[-POOL:]
    changed = {data: _changed_bytes(poc, data) for data in dict.fromkeys(pool)}
    times = [0] * (len(poc) + 1)
    chosen: list[bytes] = []
    others = iter(take_in_turns(made))
    while changed and len(chosen) < SOME_MORE:
        best = (
            largest.pop(0)
            if largest
            else max(changed, key=lambda data: sum(1 / (1 + times[i]) for i in changed[data]))
        )
        if len(chosen) > LARGE and len(chosen) % 2:
            best = next((data for data in others if data in changed), best)
        for i in changed.pop(best):
            times[i] += 1
        chosen.append(best)
    return chosen


def _changed_bytes(poc: bytes, data: bytes) -> set[int]:
    """The bytes of the PoC that are others, gone, or apart from the one before."""
    return {i for start, gone, *_ in edits(poc, data) for i in range(start, start + max(1, gone))}
