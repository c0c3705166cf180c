"""`replay:FILE`: answers each call with what was answered when the attempt was recorded.

A call is matched with the recorded call of its number, or with a close call that has the same request, as
calls that run side by side may come in a different order. The first call with a different request ends the
replay: it raises `ReplayDiverged`, as does every call after it. A recorded fault is raised again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.gateway._varying import normal_text
from harness.gateway.dialects import BadAnswer, Body, Call
from harness.gateway.dialects.chat import usage_is_hidden
from harness.gateway.divergence import DivergedCall, find_difference, normal
from harness.gateway.models import Answer, Diverged, ProviderFault, Stream, Unseen, Whole
from harness.gateway.pins import PARAMETERS
from harness.gateway.record import Recorded, RecordedCall, read_record

# Recorded calls, not answered yet, among which a call may be: more than agents run side by side.
MAX_COMPARED_CALLS = 8
# Texts of which the normal form is remembered: a conversation repeats them at each call.
MAX_REMEMBERED_TEXTS = 4096
# From this status on an answer is a refusal, which is never a stream.
FAILED_STATUS = 400


class ReplayDiverged(Diverged):
    """The first call that differs. `path`: where; `difference`: a unified diff, safe for a terminal."""

    def __init__(self, message: str, number: int, path: str = "", difference: str = "") -> None:
        super().__init__(message)
        self.number, self.path, self.difference = number, path, difference


class Replay:
    """A model that calls nobody. A new object for each attempt.

    lenient: a call with a different request is answered by its number nevertheless. `diverged` holds the
    first divergence, also then.
    """

    name = ""

    def __init__(self, recorded: Recorded, lenient: bool = False) -> None:
        self.diverged: ReplayDiverged | None = None
        self._lenient = lenient
        self._left = list(recorded.calls)
        requested_model = next((call.request.get("model") for call in recorded.calls), "")
        # The model's name as the agent was given it.
        self.recorded_name = requested_model if isinstance(requested_model, str) else ""
        self._torn = recorded.torn
        self._text = lru_cache(MAX_REMEMBERED_TEXTS)(normal_text)
        # Of recorded calls within the window, by identity.
        self._normal: dict[int, dict[str, Any]] = {}

    async def answer(self, call: Call) -> Answer:
        """Raises ReplayDiverged, and ProviderFault where a fault was recorded."""
        if self.diverged is not None and not self._lenient:
            raise self.diverged
        recorded = self._matching(call)
        self._left.remove(recorded)
        self._normal.pop(id(recorded), None)
        if not recorded.answered:
            raise self._fault(
                ReplayDiverged(
                    f"replay: call {call.number} was not answered {self._ending()}", call.number
                )
            )
        return _answer(recorded, call)

    async def close(self) -> None:
        self._left.clear()
        self._text.cache_clear()

    def _matching(self, call: Call) -> RecordedCall:
        """The recorded call that asks the same. Raises ReplayDiverged, if lenient only at the end."""
        near, request = self._nearest_calls(call), _remove_pinned(call, call.body)
        if not near:
            reason = f"replay: call {call.number} is not in the record {self._ending()}"
            raise self._fault(ReplayDiverged(reason, call.number))
        for recorded in near:
            # Nearly all calls are equal as they are; the normal form of a long conversation costs far more.
            if recorded.request == call.body:
                return recorded
        request = normal(request, self._text)
        for recorded in near:
            if self._normal_of(recorded, call) == request:
                return recorded
        fault = self._fault(
            _divergence_at(near[0], call, find_difference(self._normal_of(near[0], call), request))
        )
        if not self._lenient:
            raise fault
        return near[0]

    def _nearest_calls(self, call: Call) -> list[RecordedCall]:
        """The remaining recorded calls in the same dialect, the call of the same number first."""
        left = [recorded for recorded in self._left if recorded.wire == call.dialect.name][
            :MAX_COMPARED_CALLS
        ]
        return sorted(left, key=lambda recorded: recorded.number != call.number)

    def _normal_of(self, recorded: RecordedCall, call: Call) -> dict[str, Any]:
        normal_request = self._normal.get(id(recorded))
        if normal_request is None:
            normal_request = self._normal[id(recorded)] = normal(
                _remove_pinned(call, recorded.request), self._text
            )
        return normal_request

    def _fault(self, fault: ReplayDiverged) -> ReplayDiverged:
        """Record the first divergence, which is the decisive fault."""
        if self.diverged is None:
            self.diverged = fault
        return self.diverged

    def _ending(self) -> str:
        return f"({self._torn})" if self._torn else "(it is whole)"


def _remove_pinned(call: Call, body: Body) -> Body:
    """A request without the parameters that can be pinned: which of them went out depends on the model."""
    return call.dialect.apply_parameters(body, dict.fromkeys(PARAMETERS))


def _divergence_at(
    recorded: RecordedCall, call: Call, difference: DivergedCall | None
) -> ReplayDiverged:
    where = difference or DivergedCall("body", "")
    comparison = (
        "" if recorded.number == call.number else f" (compared with call {recorded.number})"
    )
    reason = (
        f"replay diverged at call {call.number}: {where.path} is not what was recorded{comparison}"
    )
    return ReplayDiverged(reason, call.number, where.path, where.diff)


def _answer(recorded: RecordedCall, call: Call) -> Answer:
    body, failed = recorded.answer, recorded.status >= FAILED_STATUS
    if body is None:
        raise _fault_of(recorded)
    if isinstance(body, bytes) or (failed and (body.get("error") or not recorded.error)):
        return Whole(body, recorded.status)
    try:
        call.dialect.read(body)
    # What is no answer cannot be streamed; the recorded fault is raised as it was.
    except BadAnswer as error:
        if call.body.get("stream"):
            raise ProviderFault(recorded.error or f"no answer: {error}", recorded.status) from error
    if call.body.get("stream"):
        return Stream(_events(recorded, body, call))
    if failed:
        raise _fault_of(recorded)
    return Whole(body, recorded.status)


def _fault_of(recorded: RecordedCall) -> ProviderFault:
    """The fault that was raised when the call was recorded: so the agent gets the same fault again."""
    status = recorded.status if recorded.status >= FAILED_STATUS else 0
    return ProviderFault(recorded.error or "no answer came when this was recorded", status)


async def _events(recorded: RecordedCall, body: dict[str, Any], call: Call) -> AsyncIterator[bytes]:
    """The answer as a stream; an answer that broke off does so again, before its last event."""
    events = list(_stream_events(body, call))
    broke = recorded.status >= FAILED_STATUS
    for event in events[:-1] if broke else events:
        yield event
    if broke:
        raise _fault_of(recorded)


def _stream_events(body: dict[str, Any], call: Call) -> Iterator[bytes]:
    for event in call.dialect.stream(body):
        hidden = call.dialect.name == "chat" and usage_is_hidden(call.body, event)
        yield Unseen(event) if hidden else event


def open_replay(argument: str, lenient: bool = False) -> Replay:
    """A replay of the record in the file `argument`. Raises RecordError."""
    return Replay(read_record(Path(argument)), lenient)


PLUGIN = open_replay
