from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

ACTIONS = frozenset({"view", "edit", "export", "delete"})
MAX_TEXT = 500


class TrailError(ValueError):
    """A line of the trail that is no entry."""


@dataclass(frozen=True)
class Entry:
    time: datetime
    actor: str
    action: str
    subject: str
    details: dict[str, str] = field(default_factory=dict)


def cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "…"




class AuditTrail:
    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock

    def record(self, actor: str, action: str, subject: str = "", **details: str) -> None:
        if action not in ACTIONS:
            raise ValueError(f"action: one of {', '.join(sorted(ACTIONS))}")
        time = self._clock().astimezone(timezone.utc).isoformat(timespec="seconds")
        named = [f"{name}={cut(value)}" for name, value in details.items()]
        line = "\t".join([time, cut(actor), action, cut(subject), *named])
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")

    def _lines(self) -> list[str]:
        if not self._path.exists():
            return []
        with self._path.open(encoding="utf-8", newline="\n") as file:
            return [line.removesuffix("\n") for line in file]

    def entries(self) -> list[Entry]:
        return [self._entry(number, line) for number, line in enumerate(self._lines(), 1)]

    @staticmethod
    def _entry(number: int, line: str) -> Entry:
        try:
            time, actor, action, subject, *named = line.split("\t")
            details = dict(item.split("=", 1) for item in named)
            moment = datetime.fromisoformat(time)
        except ValueError as error:
            raise TrailError(f"line {number} is no entry") from error
        if action not in ACTIONS:
            raise TrailError(f"line {number} is no entry")
        return Entry(moment, actor, action, subject, details)

    def by_actor(self, actor: str) -> list[Entry]:
        return [entry for entry in self.entries() if entry.actor == cut(actor)]

    def tail(self, count: int) -> str:
        return "\n".join(self._lines()[-count:]) if count > 0 else ""
