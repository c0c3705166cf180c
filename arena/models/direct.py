"""The agent `direct`: the solution of an attempt is a single completion of a model.

Each completion has a separate account with the attempt's caps, over a single gateway for all: so a ledger is
that of its attempt however many threads ask, and a model's limits hold for all of them together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.lazy import Lazy
from arena.models.completion import (
    Completion,
    CompletionRequest,
    ModelSettings,
    client_over,
    expect,
    keep,
    load_completion,
)
from arena.models.endings import name_ending
from arena.models.no_completion import EndedCall, NoCompletion
from harness.agents import ModelEnded, ModelUnavailable
from harness.grade.ports import ResultCache
from harness.protocols import Charge, Solution

if TYPE_CHECKING:
    from arena.protocols import Setup
    from harness.gateway.gateway import Gateway

DIRECT = "direct"
UNSPENT: Mapping[str, Any] = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0}
# An answer -> what the attempt leaves, as a file would hold it, and facts for the evidence.
Read = Callable[[Completion], tuple[bytes, Mapping[str, Any]]]


class DirectSolver:
    """Gets a completion for each attempt; safe to use from several threads, and ended by `close`."""

    def __init__(self, setup: Setup, cache: ResultCache, pins: Mapping[str, Any]) -> None:
        """pins: the track's sampling parameters, for what the setup does not pin."""
        self._setup, self._cache = setup, cache
        self._pins = {**pins, **setup.pinned}
        self._prices = Path(setup.prices) if setup.prices else None
        self._gateway: Lazy[Gateway] = Lazy(self._open_gateway)

    def expect(self, models: Sequence[str]) -> None:
        """Look for the models and at the caps before anything is spent.

        Raises ValueError, UnknownName or UnknownPrice, with a message of a single line.
        """
        caps = self._setup.caps
        for name in ("usd", "calls", "seconds", "tokens"):
            limit = getattr(caps, name)
            if limit is not None and limit <= 0:
                raise ValueError(f"caps.{name}: {limit:g} leaves nothing to ask a model with")
        for model in dict.fromkeys(models):
            expect(self._settings(model), key_needed=not self._setup.is_plan)
            self.identity(model)  # a script that cannot be read

    @property
    def pins(self) -> Mapping[str, Any]:
        """The sampling parameters of all calls."""
        return self._pins

    def identity(self, model: str) -> tuple[str, ...]:
        """The model and the parameters that determine an answer. Raises ValueError."""
        return self._settings(model).identity

    def solve(
        self, model: str, request: CompletionRequest, read: Read, charge: Charge | None = None
    ) -> Solution:
        """The solution from the model's answer, which may come from the store. charge: called for each call.

        Raises ModelUnavailable or ModelEnded where none came, with what it cost all the same.
        """
        settings = self._settings(model)
        key = request.key(settings.identity)
        answer = load_completion(key, self._cache)
        usage: Mapping[str, Any] = UNSPENT
        note: dict[str, Any] = {"stored": answer is not None}
        if answer is None:
            answer, usage, unpinned = self._complete(settings, request, charge)
            note |= self._store_completion(key, answer) | (
                {"unpinned": unpinned} if unpinned else {}
            )
        solution, facts = read(answer)
        facts = name_ending(facts, answer.text, answer.ended, answer.cut, answer.reasoning_chars)
        artefacts = {"asked": _request_json(request), "reply": answer.text.encode()}
        note |= {"cut": answer.cut, "finish": answer.finish, **facts}
        return Solution(solution, usage=dict(usage), note=note, artefacts=artefacts)

    def _complete(
        self, settings: ModelSettings, request: CompletionRequest, charge: Charge | None
    ) -> tuple[Completion, Mapping[str, Any], Mapping[str, str]]:
        """An answer, the ledger of its account, and the parameters that were not sent."""
        answer: Completion | None = None
        with client_over(self._gateway.get(), settings, self._setup.caps, charge) as client:
            try:
                answer = client.answer(request)
            except EndedCall as error:
                answer = Completion("", ended=error.ending)
            except NoCompletion as error:
                kind = ModelEnded if error.ended_model else ModelUnavailable
                fault = kind(f"{settings.model}: {error}")
        if answer is None:
            fault.usage = client.ledger
            raise fault
        return answer, client.ledger, client.unpinned

    def _store_completion(self, key: str, answer: Completion) -> dict[str, Any]:
        """Store an answer for later runs. It has been paid for: a full disk must not lose it for this run."""
        try:
            keep(key, answer, self._cache)
        except OSError as error:
            return {"unkept": f"the answer is not kept for other runs: {error}"}
        return {}

    def _settings(self, model: str) -> ModelSettings:
        setup = self._setup
        return ModelSettings(
            model, self._pins, setup.api_base, self._prices, setup.allow_unknown_price
        )  # fmt: skip

    @contextmanager
    def _open_gateway(self) -> Iterator[Gateway]:
        from harness.gateway.gateway import Gateway
        from harness.gateway.limits import load_limits

        with Gateway(load_limits(self._prices)) as gateway:
            yield gateway

    def close(self) -> None:
        self._gateway.close()


def _request_json(request: CompletionRequest) -> bytes:
    """The request to the model, as JSON: messages, or the text to go on with."""
    request_body = {"prompt": request.prompt} if request.prompt else {"messages": request.messages}
    return json.dumps(request_body, ensure_ascii=True).encode()


def instruction_of(messages: Sequence[Mapping[str, str]]) -> str:
    """The messages to a model, as a single text for people."""
    return "\n\n".join(message["content"].strip() for message in messages)
