"""Reports of a driver while it works, for progress displays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.jobs import Node, StageJob
from arena.store.model import AttemptUpdate, Counts, Spent


@dataclass
class Totals:
    """The state of a sweep. done: attempts with a result, of this driver and of earlier ones.

    faults: attempts that ended in a fault now, and are open again. trouble: why nothing can be stored, or "".
    """

    attempts: int = 0
    done: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    faults: int = 0
    in_flight: int = 0
    spent: Spent = field(default_factory=Spent)
    trouble: str = ""

    @classmethod
    def from_counts(cls, counts: Counts) -> Totals:
        """The state in which earlier drivers left it."""
        labels = Counter(counts.labels)
        return cls(counts.attempts, labels.total(), labels, spent=counts.spent)

    def count(self, label: str | None) -> None:
        """Count a further ended attempt; without a label it ended in a fault."""
        if label is None:
            self.faults += 1
        else:
            self.done += 1
            self.labels[label] += 1


class Watch(Protocol):
    """Called from the driver's thread; must be fast."""

    def nodes(self, nodes: Sequence[Node]) -> None:
        """The nodes that there are now."""
        ...

    def step(self, job: StageJob, step: str) -> None:
        """A job came to a step; "" when it came back."""
        ...

    def report_end(self, job: StageJob, written: AttemptUpdate) -> None:
        """An attempt has ended, and is stored."""
        ...

    def tick(self, totals: Totals) -> None:
        """Called a few times a second."""
        ...

    def note(self, text: str) -> None:
        """A line for people: a lost node, a model that is no longer used."""
        ...


class Silent:
    """Shows nothing."""

    def nodes(self, nodes: Sequence[Node]) -> None: ...

    def step(self, job: StageJob, step: str) -> None: ...

    def report_end(self, job: StageJob, written: AttemptUpdate) -> None: ...

    def tick(self, totals: Totals) -> None: ...

    def note(self, text: str) -> None: ...
