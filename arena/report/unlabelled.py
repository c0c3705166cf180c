"""Ended attempts without a label, by agent: whether an agent has more of them than chance explains.

A fault of the machine meets all agents alike. An agent that meets far more of them may cause them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from arena.report.statistics import fisher
from arena.report.text import visible
from arena.store.model import Row

# What p must be below, divided by the number of agents that are looked at.
LEVEL = 0.05
NOT_ENDED = ("", "cancelled")


@dataclass(frozen=True)
class Unlabelled:
    """Ended attempts of an agent and how many lack a label; `others`: the same for all different agents.

    p: of so many or more, if all were equally likely (Fisher's exact test, right tail); None without others.
    """

    track: str
    agent: str
    ended: int
    unlabelled: int
    others: tuple[int, int]
    p: float | None
    more: bool

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "others": list(self.others)}

    @property
    def warning(self) -> str:
        """A warning as a line; "" where the agent has no more than chance explains."""
        if not self.more:
            return ""
        of_others = f"{self.others[0]} of {self.others[1]} of the other agents'"
        return (
            f"{visible(self.agent)} ({self.track}): {self.unlabelled} of {self.ended} attempts ended without "
            f"a label, {of_others} (p = {self.p:.2g}): it may break the machine itself; see arena audit"
        )


def list_unlabelled(rows: Iterable[Row]) -> list[Unlabelled]:
    """An entry for each track and agent, by name. Open and cancelled attempts do not count."""
    counts: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        if row.health in NOT_ENDED:
            continue
        count = counts.setdefault(row.track, {}).setdefault(row.agent, [0, 0])
        count[0] += row.label is None
        count[1] += 1
    return [
        _compare_with_others(track, agent, of_track)
        for track, of_track in sorted(counts.items())
        for agent in sorted(of_track)
    ]


def _compare_with_others(track: str, agent: str, of_track: dict[str, list[int]]) -> Unlabelled:
    without, ended = of_track[agent]
    others = [count for name, count in of_track.items() if name != agent]
    lost, all_others = sum(count[0] for count in others), sum(count[1] for count in others)
    p = fisher(without, ended - without, lost, all_others - lost) if others else None
    # Bonferroni's correction: with many agents one of them is always conspicuous.
    more = p is not None and p < LEVEL / len(of_track)
    return Unlabelled(track, agent, ended, without, (lost, all_others), p, more)


def warnings(rows: Iterable[Row]) -> list[str]:
    """A line for each agent that has more than chance explains."""
    return [agent.warning for agent in list_unlabelled(rows) if agent.warning]
