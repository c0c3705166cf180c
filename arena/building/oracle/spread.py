"""Selects inputs around a PoC: of many kinds, and with no part of the PoC unchanged in all."""

from __future__ import annotations

from itertools import islice, zip_longest

from tasks.neighbours import MAX_PER_KIND, edits

# How many are chosen: some may not show the same once more.
MAX_CHOSEN = MAX_PER_KIND + MAX_PER_KIND // 2
LARGE = 6
# The last inputs that are looked at one by one.
POOL = 256


def choose_in_turns(inputs: dict[bytes, str]) -> list[bytes]:
    """Slightly more inputs than are needed, in turns by the change that produced them."""
    inputs_by_change: dict[str, list[bytes]] = {}
    for data, how in inputs.items():
        inputs_by_change.setdefault(how, []).append(data)
    turns = (
        data for row in zip_longest(*inputs_by_change.values()) for data in row if data is not None
    )
    return list(islice(turns, MAX_CHOSEN))


def choose_far_apart(poc: bytes, inputs: dict[bytes, str]) -> list[bytes]:
    """Crashing inputs chosen so that each byte of the PoC differs in some of them, if possible.

    First the largest; then, in turns, the input that changes the largest number of rarely changed bytes, and
    an input of a different kind.
    """
    largest = sorted(inputs, key=len, reverse=True)[:LARGE]
    pool = largest + choose_in_turns(inputs) + list(inputs)[-POOL:]
    changed = {data: _changed_bytes(poc, data) for data in dict.fromkeys(pool)}
    times = [0] * (len(poc) + 1)
    chosen: list[bytes] = []
    others = iter(choose_in_turns(inputs))
    while changed and len(chosen) < MAX_CHOSEN:
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
    """The positions of the PoC's bytes that are replaced, deleted, or separated from the byte before."""
    return {i for start, gone, *_ in edits(poc, data) for i in range(start, start + max(1, gone))}
