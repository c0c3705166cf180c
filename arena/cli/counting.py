"""Progress over a number of items: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys

from arena.cli.common import print_err
from arena.report.text import one_line


class Counting:
    """A context manager; call `step` once for each finished item, from a single thread."""

    def __init__(self, total: int, what: str, lines: int = 20) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        self._live = sys.stderr.isatty()
        self._total, self._done, self._what = total, 0, what
        self._every = max(1, total // lines)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            # Names come from files, and brackets in them are no markup.
            TextColumn("{task.fields[now]}", markup=False),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), disable=not self._live)
        self._task = self._bar.add_task(what, total=total, now="")

    def __enter__(self) -> Counting:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def step(self, now: str) -> None:
        """Count a further finished item; `now` is its name and result."""
        self._done += 1
        self._bar.update(self._task, completed=self._done, now=one_line(now)[:60])
        if not self._live and (self._done % self._every == 0 or self._done == self._total):
            print_err(f"{self._what}: [{self._done}/{self._total}] {now}")
