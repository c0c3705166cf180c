"""State that the steps of a grading share, and the sandboxes that they open."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from harness.command import Limits
from harness.grade.apply import Applied, apply
from harness.grade.candidate import PatchCandidate
from harness.grade.environment import Environment
from harness.grade.imports import LibcExports
from harness.grade.ports import ResultCache
from harness.grade.reference import Reference
from harness.protocols import Sandbox
from harness.sandbox.base import Backend, SandboxDied
from tasks.loader import Task


class Sandboxes:
    """The sandboxes of a grading, all from the same image; leaving it ends those that still run.

    A step that runs beside another is so ended as soon as the label is decided.
    """

    def __init__(
        self, backend: Backend, image: str, limits: Limits, pool: ThreadPoolExecutor
    ) -> None:
        self._backend, self._image, self._limits, self._pool = backend, image, limits, pool
        self._open: set[Sandbox] = set()
        self._ahead: deque[Future[Sandbox]] = deque()
        self._closed = False
        self._lock = threading.Lock()

    def make_ahead(self, count: int) -> None:
        """Begin to start so many sandboxes that will be opened soon."""
        self._ahead.extend(self._pool.submit(self._start_sandbox) for _ in range(count))

    @contextmanager
    def open(self) -> Iterator[Sandbox]:
        """A started sandbox. Raises SandboxDied where the grading has ended."""
        try:
            ahead = self._ahead.popleft()
        except IndexError:
            box = self._start_sandbox()
        else:
            box = ahead.result()
        try:
            yield box
        finally:
            with self._lock:
                due = box in self._open
                self._open.discard(box)
            if due:
                box.stop()

    def _start_sandbox(self) -> Sandbox:
        """A started sandbox; where the grading ends meanwhile, this thread ends it, and nobody else."""
        box = self._backend.create(self._image, self._limits)
        try:
            # A label that is decided early closes the grading while sandboxes are still being started ahead.
            if not self._closed:
                box.start()
            with self._lock:
                if self._closed:
                    raise SandboxDied("the grading has ended")
                self._open.add(box)
        except BaseException:
            box.stop()
            raise
        return box

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        with self._lock:
            # Under the lock: from here on a thread that has just started a sandbox ends it by itself.
            self._closed = True
            left, self._open = self._open, set()
        for box in left:
            box.stop()


@dataclass(frozen=True)
class GradingJob:
    """State shared by the steps of a grading."""

    backend: Backend
    cache: ResultCache
    sandboxes: Sandboxes
    task: Task
    patch: PatchCandidate
    environment: Environment
    gold: Reference
    libc: LibcExports

    @property
    def repairs(self) -> bool:
        """Whether the weakness was there before the patch."""
        return bool(self.task.spec.source.base)

    def bring(self, box: Sandbox, applied: Applied) -> None:
        """Put a fresh sandbox into the state that the patch leaves. Raises Decided, SandboxDied."""
        if applied.state is not None:
            applied.state.bring(box, self.task.spec.environment.workdir)
        else:
            apply(box, self.task, self.patch, self.gold.files)
