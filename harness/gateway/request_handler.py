"""One call from its admission to its charge, whatever becomes of it in between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.gateway import faults
from harness.gateway._numbers import asked_output, expect_numbers
from harness.gateway.account import (
    BYTES_A_TOKEN,
    Account,
    Kind,
    Recorder,
    Refused,
    Reservation,
    Worst,
)
from harness.gateway.changes import Changes
from harness.gateway.dialects import BadAnswer, BadRequest, Call, Dialect, Fold, Refusal
from harness.gateway.endings import ended_call, ending_of
from harness.gateway.models import (
    ConnectionDropped,
    ProviderFault,
    QuotaSpent,
    Stream,
    Unseen,
    Whole,
)
from harness.gateway.models._provider import provider_fault
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.redact import redact
from harness.gateway.upstream import PendingAnswer, Upstream

Send = Callable[[dict[str, Any]], Awaitable[None]]

TICK = 0.05
"""Seconds that a timer may be early."""
REFUSALS_KEPT = 100
"""Maximum number of recorded refusals per attempt: an agent may retry forever."""
GONE, OVER = 499, 408
MAX_SAID = 4096
EVENT_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]


@dataclass
class AccountContext:
    """What answers the calls of one account."""

    account: Account
    upstream: Upstream
    pinned: Mapping[str, Any] = field(default_factory=dict)
    recorder: Recorder | None = None
    refusals: int = 0
    changes: Changes = field(default_factory=Changes)

    @property
    def model(self) -> str:
        return self.upstream.model.name


@dataclass
class RequestHandler:
    """One call. `size` is the length of its body in bytes."""

    context: AccountContext
    dialect: Dialect
    size: int
    send: Send
    begun: bool = False
    """Whether a part of the answer has reached the agent."""
    status: int = 200
    error: str = ""
    kind: Kind = "call"
    answered: bool = True
    tokens: Tokens | None = None
    estimated: bool = False
    finish: str = ""
    ending: str = ""
    body: dict[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those of the request that `Call.headers` keeps."""
    _reservation: Reservation | None = None
    _call: Call | None = None
    _fold: Fold | None = None
    _pending: PendingAnswer | None = None
    _told: str = ""
    """The provider's word for how its answer ended, where another dialect has no place for it."""
    _failed: bool = False
    """The provider was found wanting in this call: a fault of its that may pass."""

    async def run(self, body: Mapping[str, Any]) -> None:
        """Answer the agent. Raises ConnectionDropped, and CancelledError when the agent left."""
        account = self.context.account
        try:
            asked, worst = self._weighed(body)
            self._reservation = await account.admit(worst.usd, worst.tokens)
        except BadRequest as error:
            await self._refuse(Refusal("request", str(error)))
        except Refused as error:
            await self._refused(asked, str(error))
        else:
            self._call = Call(
                *(self.dialect, asked, self._reservation.number),
                *(self.headers, self.context.changes),
            )
            await self._forward(self._reservation, self._call)

    def _weighed(self, body: Mapping[str, Any]) -> tuple[Mapping[str, Any], Worst]:
        """The request to the model, and its worst case. Nothing is sent yet, so that whatever
        is wrong here is wrong with the request: raises BadRequest.
        """
        try:
            asked = self.dialect.pinned(body, self.context.pinned) if self.context.pinned else body
            expect_numbers(asked)
            return asked, self.context.account.worst(self.size, asked_output(asked))
        except BadRequest:
            raise
        except Exception as error:
            raise BadRequest(f"the request cannot be read: {type(error).__name__}") from error

    async def _refused(self, body: Mapping[str, Any], message: str) -> None:
        context, refusal = self.context, Refusal("spent", message)
        if context.recorder is not None and context.refusals < REFUSALS_KEPT:
            context.refusals += 1
            call = Call(self.dialect, body, context.account.next_number())
            status, told = self.dialect.refusal(refusal)
            context.recorder.record_request(call)
            context.recorder.record_answer(
                call, told, status, f"spent: {message}", Tokens(), 0.0, 0.0
            )
        await self._refuse(refusal)

    async def _forward(self, reservation: Reservation, call: Call) -> None:
        told: Refusal | None = None
        if self.context.recorder is not None:
            self.context.recorder.record_request(call)
        try:
            async with asyncio.timeout(self._seconds()):
                await self._answer(call)
        except ProviderFault as fault:
            told = self._blame(fault)
        except BadRequest as error:
            self.status, self.error = 400, str(error)
            self.tokens, told = Tokens(), Refusal("request", str(error))
        except TimeoutError:
            told = self._over()
        except ConnectionDropped as error:
            self.status, self.error = 502, f"connection dropped: {redact(str(error))}"
            raise
        except asyncio.CancelledError:
            self._left()
            raise
        finally:
            await self._settle()
        if told is not None:
            await self._send_refusal(told)

    def _seconds(self) -> float:
        return min(self.context.upstream.patience.total, max(0.0, self.context.account.remaining()))

    async def _answer(self, call: Call) -> None:
        context = self.context
        estimate = self.size // BYTES_A_TOKEN
        self._pending = await context.upstream.ask(call, estimate, self._seconds(), self._retried)
        self._told = self._pending.answer.finish
        if isinstance(self._pending.answer, Stream):
            await self._stream(self._pending.answer)
        else:
            await self._whole(self._pending.answer)

    # answers

    async def _whole(self, answer: Whole) -> None:
        body = answer.body
        data = body if isinstance(body, bytes) else answer.raw or json.dumps(body).encode()
        parsed = _object(body) if isinstance(body, bytes) else body
        self.status, self.body = answer.status, parsed
        if answer.status >= 400:
            self.kind, self.tokens = faults.kind(answer.status), Tokens()
            self.ending = ended_call(answer.status, data[:MAX_SAID].decode(errors="replace"))
        else:
            self._meter(parsed, len(data))
        kept = {"content-type": "application/json", **answer.headers}
        headers = [
            (key.lower().encode("latin-1"), value.encode("latin-1")) for key, value in kept.items()
        ]
        await self._settle()
        await self._send_whole(answer.status, data, headers)

    def _meter(self, parsed: dict[str, Any] | None, length: int) -> None:
        try:
            reply = self.dialect.read(parsed if parsed is not None else {})
        except BadAnswer as error:
            self.error, self.estimated = f"no answer: {error}", True
            self.tokens = Tokens(self.size // BYTES_A_TOKEN, length // BYTES_A_TOKEN)
        else:
            self._count(reply, whole=True)

    def _count(self, reply: Reply, whole: bool) -> None:
        """The provider's token counts; missing ones are estimated by length. And how the answer ended."""
        if whole:
            self.finish, self.ending = self._told or reply.finish, ending_of(reply, self._told)
        told = reply.tokens
        self.estimated = told is None or not whole
        if told is not None and whole:
            self.tokens = told
            return
        said = len(reply.text) + len(reply.reasoning)
        said += sum(len(call.name) + len(call.arguments) for call in reply.tool_calls)
        guess = Tokens(self.size // BYTES_A_TOKEN, said // BYTES_A_TOKEN)
        self.tokens = (
            guess
            if told is None
            else Tokens(
                told.input or guess.input,
                max(told.output, guess.output),
                told.cached,
                told.written,
                told.reasoning,
            )
        )

    async def _stream(self, stream: Stream) -> None:
        fold = self._fold = self.dialect.fold()
        async for event in stream.events:
            fold.feed(event)
            if fold.complete:
                await self._settle()  # charged before the agent can ask again
            if type(event) is not Unseen:
                await self._send_event(event)
            if fold.complete:
                break
        else:
            if not fold.complete:
                said = ("the model's answer broke off", fold.error)
                raise provider_fault(": ".join(filter(None, said)), 0)
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
        refusal = faults.refusal(fault, self.error)
        self.status = fault.status or 502
        self.ending = ended_call(fault.status, self.error)
        if isinstance(fault, QuotaSpent):
            self.context.account.unpaid = self.error
        if self._fold is None:
            self.kind, self.tokens = faults.kind(fault.status), Tokens()
        return refusal

    def _retried(self) -> None:
        self._failed = True
        self.context.account.retried()

    def _over(self) -> Refusal:
        """Our own patience is at its end, which is the provider's fault, or the attempt's time is over."""
        spent = self.context.account.remaining() < TICK
        self.status = OVER
        self.error = "the attempt's time is over" if spent else "no whole answer in time"
        if self._fold is None:
            self.answered = False
            self.kind = "call" if spent and not self._failed else "fault"
        if not spent:
            return Refusal("provider", "the model gave no whole answer in time")
        self.context.account.stop("time")
        return Refusal("spent", f"the budget of this attempt is spent: {self.error}")

    def _left(self) -> None:
        """The agent has left: the call was sent, and is charged to the agent however long it waited."""
        self.status, self.error = GONE, "the agent went away"
        self.answered = self._fold is not None

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
            said = self._fold.reply() if self._fold is not None else Reply()
            self._count(said, self._fold is not None and self._fold.complete)
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
