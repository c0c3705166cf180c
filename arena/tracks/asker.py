"""One model asked question by question, by many threads, for whoever must know one answer to ask the next.

The gateway is opened at the first question that the store has no answer to, and stays open until the end.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from arena.tracks.asking import Answer, Asking, OpenModel, Question, expect, opened, stored
from harness.grade.ports import ResultCache


class Asker:
    """As a context manager. Raises what `expect` raises when made: a model that cannot be is a mistake."""

    def __init__(self, asking: Asking, cache: ResultCache) -> None:
        expect(asking)
        self.model = asking.model
        self.identity = asking.identity
        self._asking, self._cache = asking, cache
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._line: OpenModel | None = None
        self._closed = False
        self.calls = 0
        """Answers that were asked for now."""

    def __enter__(self) -> Asker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, question: Question) -> Answer:
        """The answer, from the store where it is known. Raises Unanswered."""
        key = question.key(self.identity)
        if (known := stored(key, self._cache)) is not None:
            return known
        answer = self._opened().ask(question, key, self._cache)
        with self._lock:
            self.calls += 1
        return answer

    def _opened(self) -> OpenModel:
        with self._lock:
            if self._closed:
                raise ValueError("asked after the end")
            if self._line is None:
                self._line = self._stack.enter_context(opened(self._asking))
            return self._line

    @property
    def ledger(self) -> Mapping[str, Any]:
        """The gateway's usage, once closed; {} where nothing was asked."""
        return self._line.ledger if self._line else {}

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self._stack.close()
