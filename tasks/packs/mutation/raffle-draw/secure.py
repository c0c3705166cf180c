import csv
import random
from collections.abc import Iterable

_rng = random.SystemRandom()


def read_entries(lines: Iterable[str]) -> dict[str, int]:
    entries: dict[str, int] = {}
    for row in csv.reader(lines):
        if not row:
            continue
        name, tickets = row[0].strip(), int(row[1])
        entries[name] = entries.get(name, 0) + tickets
    return entries


def _draw(pool: dict[str, int]) -> str:
    """The holder of one ticket, all tickets being equally likely."""
    position = _rng.randrange(sum(pool.values()))
    for name, tickets in pool.items():
        if position < tickets:
            return name
        position -= tickets
    raise RuntimeError("no ticket at this position")


def draw_winners(entries: dict[str, int], prizes: int) -> list[str]:
    if prizes < 0 or any(tickets < 0 for tickets in entries.values()):
        raise ValueError("tickets and prizes are never negative")
    pool = {name: tickets for name, tickets in entries.items() if tickets}
    winners = []
    while pool and len(winners) < prizes:
        winner = _draw(pool)
        del pool[winner]
        winners.append(winner)
    return winners
