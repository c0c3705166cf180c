"""A session with live progress on stderr, for the commands over attempts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from arena import session
from arena.cli.common import tell

if TYPE_CHECKING:
    from arena.jobs import Job, Node
    from arena.store.model import Written
    from arena.sweep.watch import Totals


class ProgressBar:
    """A `Watch`: a live bar on a terminal; a line for each finished attempt elsewhere."""

    def __init__(self, total: int, run: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        self._live = sys.stderr.isatty()
        self._steps: dict[str, str] = {}
        self._done = 0
        self._usd = 0.0
        self._total = total
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[now]}", markup=False),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), disable=not self._live)
        self._task = self._bar.add_task(f"run {run}", total=total, now="")

    def __enter__(self) -> ProgressBar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def nodes(self, nodes: Sequence[Node]) -> None: ...

    def note(self, text: str) -> None:
        tell(text)

    def tick(self, totals: Totals) -> None:
        self._usd = totals.spent.usd
        self._show()

    def said(self, job: Job, step: str) -> None:
        self._steps[job.attempt] = step
        if not step:
            del self._steps[job.attempt]
        self._show()

    def ended(self, job: Job, written: Written) -> None:
        self._steps.pop(job.attempt, None)
        self._done += 1
        verdict = written.verdict
        if not self._live and verdict is not None:
            name = f"{job.key.task} x {job.key.column}"[:70]
            ended = verdict.label or verdict.health
            tell(f"[{self._done}/{self._total}] {name}: {ended}{self._spent()}")
        self._show()

    def _show(self) -> None:
        now = Counter(self._steps.values())
        shown = ", ".join(f"{count} in {step}" for step, count in sorted(now.items()))
        self._bar.update(self._task, completed=self._done, now=f"{shown}{self._spent()}")

    def _spent(self) -> str:
        """The running cost, once there is one."""
        return f", {self._usd:.4f} USD so far" if self._usd else ""


open_session = partial(session.open_session, say=tell, watch=ProgressBar)
