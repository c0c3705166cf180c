"""A call from its admission to its charge, whatever becomes of it in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from harness.gateway._numbers import expect_numbers, requested_output
from harness.gateway.account import (
    BYTES_A_TOKEN,
    Kind,
    Refused,
    Reservation,
    Worst,
)
from harness.gateway.account_context import AccountContext
from harness.gateway.dialects import BadAnswer, BadRequest, Call, Dialect, Fold, Refusal
from harness.gateway.endings import ending_of
from harness.gateway.metering import broken_stream, kind_of, measure_tokens, refused_pins
from harness.gateway.models import (
    ConnectionDropped,
    Diverged,
    ProviderFault,
    Stream,
    Unseen,
    Whole,
)
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.provider_errors import (
    ProviderError,
    cause_of,
    ending_of_error,
    read_error,
    why_of,
)
from harness.gateway.redact import redact
from harness.gateway.upstream import PendingAnswer

Send = Callable[[dict[str, Any]], Awaitable[None]]

# Seconds that a timer may be early.
TICK_S = 0.05
# Maximum number of recorded refusals per attempt: an agent may retry forever.
MAX_RECORDED_REFUSALS = 100
# 499 is nginx's status for a client that left.
CLIENT_GONE_STATUS, TIMEOUT_STATUS = 499, 408
MAX_STREAM = 128 << 20
EVENT_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]


@dataclass
class RequestHandler:
    """A call. `size` is the length of its body in bytes."""

    context: AccountContext
    dialect: Dialect
    size: int
    send: Send
    # Whether a part of the answer has reached the agent.
    begun: bool = False
    status: int = 200
    error: str = ""
    kind: Kind = "call"
    answered: bool | None = True
    tokens: Tokens | None = None
    estimated: bool = False
    finish: str = ""
    ending: str = ""
    body: dict[str, Any] | None = None
    # Those of the request that `Call.headers` keeps.
    headers: Mapping[str, str] = field(default_factory=dict)
    _reservation: Reservation | None = None
    _call: Call | None = None
    _fold: Fold | None = None
    _pending: PendingAnswer | None = None
    # What reads the start of a stream, until it says something.
    _head: Fold | None = None
    # The provider's word for how its answer ended, where another dialect has no place for it.
    _provider_finish: str = ""
    _terms: tuple[str, ...] = ()
    _doubt: str = ""
    # The provider was found wanting in this call: a fault of its that may pass.
    _failed: bool = False

    async def run(self, body: Mapping[str, Any]) -> None:
        """Answer the agent. Raises ConnectionDropped, and CancelledError when the agent left."""
        account = self.context.account
        try:
            request_body, worst = self._weigh_request(body)
            self._reservation = await account.admit(worst.usd, worst.tokens)
        except BadRequest as error:
            await self._refuse(Refusal("request", str(error)))
        except Refused as error:
            await self._record_refusal(request_body, str(error))
        else:
            self._call = Call(
                *(self.dialect, request_body, self._reservation.number),
                *(self.headers, self.context.changes),
            )
            await self._forward(self._reservation, self._call)

    def _weigh_request(self, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], Worst]:
        """The request to the model, and its worst case. Nothing is sent yet, so that whatever
        is wrong here is wrong with the request: raises BadRequest.
        """
        try:
            parameters = self.context.parameters
            request_body = self.dialect.apply_parameters(body, parameters) if parameters else body
            expect_numbers(request_body)
            output = requested_output(request_body)
            return request_body, self.context.account.worst(self.size, output)
        except BadRequest:
            raise
        except Exception as error:
            raise BadRequest(f"the request cannot be read: {type(error).__name__}") from error

    async def _record_refusal(self, body: Mapping[str, Any], message: str) -> None:
        context, refusal = self.context, Refusal("spent", message)
        if context.recorder is not None and context.refusals < MAX_RECORDED_REFUSALS:
            context.refusals += 1
            call = Call(self.dialect, body, context.account.next_number())
            status, refusal_body = self.dialect.refusal(refusal)
            context.recorder.record_request(call)
            context.recorder.record_answer(
                call, refusal_body, status, f"spent: {message}", Tokens(), 0.0, 0.0
            )
        await self._refuse(refusal)

    async def _forward(self, reservation: Reservation, call: Call) -> None:
        refusal: Refusal | None = None
        if self.context.recorder is not None:
            self.context.recorder.record_request(call)
        try:
            # Here and not in a client of the provider: the attempt's time runs whatever the provider does.
            async with asyncio.timeout(self._seconds()):
                await self._answer(call)
        except ProviderFault as fault:
            refusal = self._blame(fault)
        except BadRequest as error:
            self.status, self.error, self.answered = 400, str(error), None
            self.tokens, refusal = Tokens(), Refusal("request", str(error))
        except TimeoutError:
            refusal = self._end_in_timeout()
        except ConnectionDropped as error:
            self.status, self.error = 502, f"connection dropped: {redact(str(error))}"
            raise
        except asyncio.CancelledError:
            self._end_without_agent()
            raise
        finally:
            # In `finally`: no way out of a call leaves its reservation open, which would block later calls.
            await self._settle()
        if refusal is not None:
            await self._send_refusal(refusal)

    def _seconds(self) -> float:
        return min(self.context.upstream.patience.total, max(0.0, self.context.account.remaining()))

    async def _answer(self, call: Call) -> None:
        self._pending = await self._ask_provider(call)
        self._provider_finish = self._pending.answer.finish
        self._terms, self._doubt = self._pending.answer.terms, self._pending.answer.doubt
        if isinstance(self._pending.answer, Stream):
            await self._stream(self._pending.answer)
        else:
            await self._take_whole(self._pending.answer)

    async def _ask_provider(self, call: Call) -> PendingAnswer:
        """The provider's answer; repeats the call without a pinned parameter that the provider refuses."""
        context, estimate = self.context, self.size // BYTES_A_TOKEN
        account, seconds = context.account, self._seconds

        def ask(call: Call) -> Awaitable[PendingAnswer]:
            return context.upstream.ask(
                *(call, estimate, seconds(), self._note_retry), self._heard, self._may_retry
            )

        try:
            return await ask(call)
        except ProviderFault as fault:
            refused, first = refused_pins(fault, context.pinned, context.unpinned), fault
            if not refused:
                raise
        context.unpinned |= refused
        self._may_retry(first)
        self._note_retry(first)
        again = replace(call, body=self.dialect.apply_parameters(call.body, context.parameters))
        self._call = again
        if context.recorder is not None:
            context.recorder.record_request(again)
        try:
            answer = await ask(again)
        except ProviderFault as fault:
            if fault.consequence.counts:  # it was not this that was wrong with the request
                for name in refused:
                    del context.unpinned[name]
                raise first from fault
            raise
        account.unpinned |= refused
        return answer

    def _heard(self, fold: Fold) -> None:
        self._head = fold

    # answers

    async def _take_whole(self, answer: Whole) -> None:
        body = answer.body
        data = body if isinstance(body, bytes) else answer.raw or json.dumps(body).encode()
        parsed = _object(body) if isinstance(body, bytes) else body
        self.status, self.body = answer.status, parsed
        if answer.status >= 400:
            error = read_error(parsed, answer.status) or ProviderError("", answer.status)
            self.kind, self.tokens = kind_of(error), Tokens()
            self.ending = ending_of_error(answer.status, parsed)
            self.answered = bool(self.ending)
        else:
            self._meter(parsed, len(data), answer.reply)
        answer_headers = {"content-type": "application/json", **answer.headers}
        headers = [
            (key.lower().encode("latin-1"), value.encode("latin-1"))
            for key, value in answer_headers.items()
        ]
        # Charged first: with the answer the agent may call again at once, and the caps must hold then.
        await self._settle()
        await self._send_whole(answer.status, data, headers)

    def _meter(self, parsed: dict[str, Any] | None, length: int, reply: Reply | None) -> None:
        try:
            reply = reply or self.dialect.read(parsed if parsed is not None else {})
        except BadAnswer as error:
            self.error, self.estimated, self.answered = f"no answer: {error}", True, False
            self.tokens = Tokens(self.size // BYTES_A_TOKEN, length // BYTES_A_TOKEN)
        else:
            self._count(reply, whole=True)

    def _count(self, reply: Reply, whole: bool) -> None:
        """The provider's token counts; missing ones are estimated by length. And how the answer ended."""
        if whole:
            self.finish, self.ending = (
                self._provider_finish or reply.finish,
                ending_of(reply, self._provider_finish),
            )
        self.tokens, self.estimated = measure_tokens(reply, self.size, whole, self._doubt)
        self._terms = self._terms or reply.terms

    async def _stream(self, stream: Stream) -> None:
        fold = self._fold = self.dialect.fold()
        size = 0
        async for event in stream.events:
            size += len(event)
            if size > MAX_STREAM:
                raise ProviderFault(f"the answer is larger than {MAX_STREAM >> 20} MiB")
            fold.feed(event)
            if fold.complete:
                await self._settle()  # charged before the agent can ask again
            # The agent did not request these counts, which only the gateway needs.
            if type(event) is not Unseen:
                await self._send_event(event)
            if fold.complete:
                break
        else:
            fold.end()
            if not fold.complete:
                # A stream that ends without its last event is no whole answer, even where all its text came.
                raise broken_stream(fold.error)
            await self._settle()
        await self.send({"type": "http.response.body", "body": b""})

    async def _send_event(self, event: bytes) -> None:
        if not self.begun:
            self.begun = True
            await self.send({"type": "http.response.start", "status": 200, "headers": EVENT_STREAM})
        await self.send({"type": "http.response.body", "body": event, "more_body": True})

    async def _send_whole(
        self, status: int, data: bytes, headers: list[tuple[bytes, bytes]]
    ) -> None:
        self.begun = True
        if not any(name == b"content-length" for name, _ in headers):
            headers = [*headers, (b"content-length", str(len(data)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": data})

    # what goes wrong

    def _blame(self, fault: ProviderFault) -> Refusal:
        self.error = redact(str(fault))
        consequence = fault.consequence
        self.status = fault.status or consequence.status
        self.ending = consequence.ending or ""
        self.answered = bool(self.ending) or (self._fold is not None and self._fold.begun)
        if fault.final:
            self.context.account.end_by_provider(cause_of(fault.error), self.error)
        if self._fold is None:
            self.kind, self.tokens = kind_of(fault.error), fault.tokens or Tokens()
            self._head, self._terms = None, fault.terms
        why = "spent" if isinstance(fault, Diverged) else why_of(fault.error, fault.passing)
        reason = f"the model is not available: {self.error}" if why == "spent" else self.error
        return Refusal(why, reason, consequence.code)

    def _note_retry(self, fault: ProviderFault) -> None:
        """A try failed and the call is sent again."""
        self._failed = True
        self.context.account.count_retry()

    def _may_retry(self, fault: ProviderFault) -> bool:
        """Charge what the provider had counted for a try that failed; is there money for another?"""
        account = self.context.account
        if fault.tokens is not None and self._reservation is not None:
            reason = f"asked again: {redact(str(fault))}"
            wire, model = self.dialect.name, self.context.model
            account.charge_try(self._reservation, wire, model, fault.tokens, reason, fault.terms)
            fault.tokens = None
        return account.has_money()

    def _end_in_timeout(self) -> Refusal:
        """End a call whose time is over: the provider's fault, or the end of the attempt's time."""
        # Both clocks may end at the same moment; the end of the attempt's time is no fault of the provider.
        spent = self.context.account.remaining() < TICK_S
        self.status = TIMEOUT_STATUS
        self.error = "the attempt's time is over" if spent else "no whole answer in time"
        if self._fold is None:
            self.kind = "call" if spent and not self._failed else "fault"
            self.answered = None if self.kind == "call" else False
            tokens = self._head.reply().tokens if self._head is not None else None
            self.tokens = (tokens or Tokens()) if self.kind == "fault" else tokens
        if not spent:
            return Refusal("provider", "the model gave no whole answer in time")
        self.context.account.stop("time")
        return Refusal("spent", f"the budget of this attempt is spent: {self.error}")

    def _end_without_agent(self) -> None:
        """The agent has left: the call was sent, and is charged to the agent however long it waited."""
        self.status, self.error = CLIENT_GONE_STATUS, "the agent went away"
        self.answered = True if self._fold is not None else None
        if self._fold is None and self._head is not None:
            self.tokens = self._head.reply().tokens

    async def _send_refusal(self, refusal: Refusal) -> None:
        if not self.begun:
            await self._refuse(refusal)
            return
        await self._send_event(self.dialect.failure(refusal))
        await self.send({"type": "http.response.body", "body": b""})

    async def _refuse(self, refusal: Refusal) -> None:
        status, body = self.dialect.refusal(refusal)
        await self._send_whole(
            status, json.dumps(body).encode(), [(b"content-type", b"application/json")]
        )
        if not self.error:
            self.status = status

    # the end

    async def _settle(self) -> None:
        """Charge the call and record it, once."""
        reservation, self._reservation = self._reservation, None
        if reservation is None:
            return
        if self.tokens is None:
            reply = self._fold.reply() if self._fold is not None else Reply()
            self._count(reply, self._fold is not None and self._fold.is_usage_final)
        tokens = self.tokens or Tokens()
        context = self.context
        row = context.account.charge(
            reservation,
            self.dialect.name,
            context.model,
            tokens,
            self.status,
            estimated=self.estimated,
            error=self.error,
            finish=self.finish,
            ending=self.ending,
            answered=self.answered,
            kind=self.kind,
            terms=self._terms,
        )
        try:
            if context.recorder is not None and self._call is not None:
                body = self._fold.body() if self._fold is not None else self.body
                context.recorder.record_answer(
                    self._call, body, row.status, row.error, row.tokens, row.usd, row.seconds
                )
        finally:
            if self._pending is not None:
                await self._pending.release(tokens.input + tokens.output)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
