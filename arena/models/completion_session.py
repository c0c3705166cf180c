"""A session with a model, request by request, by many threads, where an answer may decide the next request.

The gateway is opened at the first request that the store has no completion of, and stays open until the end.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from arena.models.completion import (
    Completion,
    CompletionClient,
    CompletionRequest,
    ModelSettings,
    expect,
    load_completion,
    open_client,
)
from harness.grade.ports import ResultCache


class CompletionSession:
    """A context manager. The constructor raises what `expect` raises for a model that cannot be used."""

    def __init__(self, settings: ModelSettings, cache: ResultCache) -> None:
        expect(settings)
        self.model = settings.model
        self.identity = settings.identity
        self._settings, self._cache = settings, cache
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._client: CompletionClient | None = None
        self._closed = False
        # Answers that were asked for now.
        self.calls = 0

    def __enter__(self) -> CompletionSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, request: CompletionRequest) -> Completion:
        """The answer, from the store if it is there. Raises NoCompletion."""
        key = request.key(self.identity)
        if (stored := load_completion(key, self._cache)) is not None:
            return stored
        answer = self._open_client().ask(request, key, self._cache)
        with self._lock:
            self.calls += 1
        return answer

    def _open_client(self) -> CompletionClient:
        with self._lock:
            if self._closed:
                raise ValueError("asked after the end")
            if self._client is None:
                self._client = self._stack.enter_context(open_client(self._settings))
            return self._client

    @property
    def ledger(self) -> Mapping[str, Any]:
        """The gateway's usage, once closed; {} where no request was sent."""
        return self._client.ledger if self._client else {}

    def close(self) -> None:
        with self._lock:
            self._closed = True
        self._stack.close()
