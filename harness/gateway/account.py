"""Caps and the ledger of an attempt: each call is admitted before it is sent, and charged when it ends."""

from __future__ import annotations

import asyncio
import math
import secrets
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from harness.gateway.bill import UNITS_PER_USD, bill_of, units_of
from harness.gateway.dialects import Call
from harness.gateway.ledger import LedgerRow, Usage
from harness.gateway.neutral import Tokens
from harness.gateway.price import Price
from harness.gateway.provider_errors import ErrorCause
from harness.protocols import Budget, Charge

Stopped = Literal["", "usd", "calls", "time", "tokens", "model-unavailable"]
Capped = Literal["usd", "calls", "time", "tokens"]
Kind = Literal["call", "fault"]

UNCAPPED = Budget(math.inf, math.inf, sys.maxsize)
# Output tokens assumed for a call that does not limit them.
MAX_OUTPUT = 8192
# Two rates: reservations must not fall below what comes, estimates of what was not reported should be fair.
BYTES_A_TOKEN_AT_WORST = 3
BYTES_A_TOKEN = 4
FAILED_STATUS = 502


class Refused(Exception):
    """The call is not sent: a cap is reached. The message is a line for the agent."""

    def __init__(self, cap: Capped, message: str) -> None:
        super().__init__(message)
        self.cap = cap


class Recorder(Protocol):
    """Keeps requests and answers. Called on the gateway's loop: must be fast."""

    def record_request(self, call: Call) -> None: ...

    def record_answer(
        self,
        call: Call,
        answer_body: dict[str, Any] | None,
        status: int,
        error: str,
        tokens: Tokens,
        usd: float,
        seconds: float,
    ) -> None: ...


class Worst(NamedTuple):
    """The worst case of a call: USD, and tokens (input and output)."""

    usd: float
    tokens: int


@dataclass(eq=False, slots=True)
class Reservation:
    """A call in flight, with the USD (in units) and the tokens that it may take at worst."""

    number: int
    worst: int
    tokens: int
    started: float


class Account:
    """The caps and the ledger of an attempt. `admit` belongs to an event loop; reading is for any thread.

    broken: a fault of the gateway itself, as a line; the attempt's result is then not to be trusted.
    ended: the provider's message when it ended the model's part (no money left, the key or the model is
    gone); nothing more will be answered. unpinned: parameters that are not put into requests, and why.
    charge: called for each call.
    """

    def __init__(
        self,
        caps: Budget | None = None,
        price: Price | None = None,
        token: str = "",
        clock: Callable[[], float] = time.monotonic,
        charge: Charge | None = None,
    ) -> None:
        self._charge_hook = charge
        self.caps = Budget() if caps is None else caps
        self._cap_units = math.inf if math.isinf(self.caps.usd) else units_of(self.caps.usd)
        self.price = Price() if price is None else price
        self.token = token or secrets.token_urlsafe(24)
        self.broken = self.ended = ""
        self.ended_by: ErrorCause | None = None
        self.unpinned: dict[str, str] = {}
        self._clock = clock
        self._opened = clock()
        self._closed: float | None = None
        self._rows: list[LedgerRow] = []
        self._spent = self._reserved = self._reserved_tokens = 0
        self._counts = dict.fromkeys(("calls", "answered", "unanswered", "retries", "refused"), 0)
        self._sums = [0, 0, 0, 0, 0]
        self._uncertain = 0
        self._flying = self._numbers = 0
        self._capped: Capped | Literal[""] = ""
        self._lock = threading.Lock()
        # Admission is in turns, so that two calls cannot both take the last of the money.
        self._turn = asyncio.Lock()
        self._landed = asyncio.Event()

    # admission

    def worst(self, body_bytes: int, max_output: int | None) -> Worst:
        """The worst case of a call, by the length of its body and the requested output."""
        output = MAX_OUTPUT if max_output is None else max(0, max_output)
        tokens = Tokens(-(-body_bytes // BYTES_A_TOKEN_AT_WORST), output)
        return Worst(self.price.cost(tokens), tokens.input + tokens.output)

    async def admit(self, usd: float = 0.0, tokens: int = 0) -> Reservation:
        """Wait until it is certain whether a call that takes this at worst may be sent. Raises Refused.

        The worst cases of all calls in progress stay below the caps, so that only the last admitted call can
        exceed a cap.
        """
        async with self._turn:
            # A call that waits is looked at again whenever a call lands, since caps may be reached by then.
            while True:
                self._refuse_beyond_caps()
                if self._room():
                    return self._take_off(usd, tokens)
                self._landed.clear()
                await self._until_one_lands()

    def _room(self) -> bool:
        caps = self.caps
        if self._counts["calls"] + self._flying >= caps.calls:
            return False  # one in flight may yet end in a fault, which counts for nothing
        # A single call is always let through: with nothing in flight its worst case would block it forever.
        if not self._flying:
            return True
        if caps.tokens is not None and self._tokens() + self._reserved_tokens >= caps.tokens:
            return False
        return self._spent + self._reserved < self._cap_units

    def _tokens(self) -> int:
        total_in, total_out, *_ = self._sums
        return total_in + total_out

    def has_money(self) -> bool:
        """Whether the cap in USD leaves room for a try that may be charged."""
        return self._spent < self._cap_units

    def _refuse_beyond_caps(self) -> None:
        # First: a model that the provider has ended answers no call, whatever caps are left.
        if self.ended:
            with self._lock:
                self._counts["refused"] += 1
            raise Refused("calls", f"the model is not available: {self.ended}")
        caps, calls, spent = self.caps, self._counts["calls"], self._spent
        if calls >= caps.calls:
            self._refuse("calls", f"all {caps.calls} model calls are used")
        if spent >= self._cap_units:
            self._refuse("usd", f"{spent / UNITS_PER_USD:.4f} of {caps.usd:g} USD are spent")
        if caps.tokens is not None and self._tokens() >= caps.tokens:
            self._refuse("tokens", f"{self._tokens()} of {caps.tokens} tokens are used")
        if self.remaining() <= 0:
            self._refuse("time", f"the {caps.seconds:g} s are over")

    def _refuse(self, cap: Capped, why: str) -> None:
        self.stop(cap)
        with self._lock:
            self._counts["refused"] += 1
        raise Refused(
            cap, f"the budget of this attempt is spent: {why}; no more calls are answered"
        )

    async def _until_one_lands(self) -> None:
        left = self.remaining()
        try:
            # A call that waits for money or tokens must not outlast the attempt's time.
            async with asyncio.timeout(None if left == float("inf") else max(0.0, left)):
                await self._landed.wait()
        except TimeoutError:
            return  # the caller looks at the time again

    def _take_off(self, usd: float, tokens: int) -> Reservation:
        reservation = Reservation(self.next_number(), units_of(usd), tokens, self._clock())
        with self._lock:
            self._flying += 1
            self._reserved += reservation.worst
            self._reserved_tokens += reservation.tokens
        return reservation

    def next_number(self) -> int:
        """The number of the next call of the attempt, sent or refused."""
        with self._lock:
            number = self._numbers
            self._numbers += 1
        return number

    # the ledger

    def charge(
        self,
        reservation: Reservation,
        wire: str,
        model: str,
        tokens: Tokens,
        status: int,
        *,
        estimated: bool = False,
        error: str = "",
        finish: str = "",
        ending: str = "",
        answered: bool | None = True,
        kind: Kind = "call",
        terms: tuple[str, ...] = (),
    ) -> LedgerRow:
        """End a call. A "fault" is the provider's: it does not count, and costs only its reported tokens.

        answered: the model did, or ended the call itself; None where it was not waited for.
        """
        bill = bill_of(self.price, tokens, terms)
        row = LedgerRow(
            reservation.number,
            wire,
            model,
            tokens,
            bill.usd,
            round(reservation.started - self._opened, 6),
            round(self.since(reservation), 6),
            status,
            estimated,
            error,
            finish,
            ending,
            terms,
            bill.doubt,
            bill.source,
        )
        counts = kind == "call"
        with self._lock:
            self._flying -= 1
            self._reserved -= reservation.worst
            self._reserved_tokens -= reservation.tokens
            self._counts["calls"] += counts
            self._counts["answered"] += bool(answered) and counts
            self._counts["unanswered"] += answered is False or not counts
            self._enter(row)
        if counts or row.usd:
            self._tell(row)
        # Last: whoever waits to be admitted must find this call in the sums.
        self._landed.set()
        return row

    def charge_try(
        self,
        reservation: Reservation,
        wire: str,
        model: str,
        tokens: Tokens,
        error: str,
        terms: tuple[str, ...] = (),
    ) -> None:
        """Enter what a provider counted for a try that failed; the call goes on, and counts once."""
        bill = bill_of(self.price, tokens, terms)
        began = round(reservation.started - self._opened, 6)
        seconds = round(self.since(reservation), 6)
        row = LedgerRow(
            *(
                reservation.number,
                wire,
                model,
                tokens,
                bill.usd,
                began,
                seconds,
                FAILED_STATUS,
                True,
            ),
            error=error,
            uncertain=bill.doubt,
            usd_source=bill.source,
        )
        with self._lock:
            self._enter(row)
        self._tell(row)

    def _enter(self, row: LedgerRow) -> None:
        self._rows.append(row)
        # Rounded once for each call, so that the sum equals the sum of the rows in the ledger.
        self._spent += units_of(row.usd)
        self._uncertain += bool(row.uncertain)
        used = row.tokens
        parts = (used.input, used.output, used.cached, used.reasoning, used.written)
        self._sums = [total + part for total, part in zip(self._sums, parts, strict=True)]

    def _tell(self, row: LedgerRow) -> None:
        if self._charge_hook is not None:
            self._charge_hook(row.usd, row.tokens.input + row.tokens.output)

    def count_retry(self) -> None:
        with self._lock:
            self._counts["retries"] += 1

    def end_by_provider(self, cause: ErrorCause, message: str) -> None:
        """Remember why the provider ended the model's part; the first reason counts."""
        if not self.ended:
            self.ended_by, self.ended = cause, message

    def since(self, reservation: Reservation) -> float:
        """Seconds that a call has taken so far."""
        return self._clock() - reservation.started

    def stop(self, cap: Capped) -> None:
        """Remember the first cap that was reached."""
        self._capped = self._capped or cap

    def close(self) -> None:
        """Stop the clock. Calls in progress can still be charged."""
        if self._closed is None:
            self._closed = self._clock()

    # reading

    @property
    def stop_reason(self) -> Stopped:
        """The cap that was reached, or that no call was answered or the provider ended it (`infra`)."""
        with self._lock:
            # An attempt none of whose calls was answered is `infra`, whatever caps it reached (law 1).
            unavailable = self._counts["unanswered"] and not self._counts["answered"]
        return "model-unavailable" if unavailable or self.ended else self._capped

    @property
    def calls(self) -> tuple[LedgerRow, ...]:
        with self._lock:
            return tuple(self._rows)

    @property
    def usage(self) -> Usage:
        with self._lock:
            counts = self._counts
            tokens_in, tokens_out, cached, reasoning, written = self._sums
            return Usage(
                calls=counts["calls"],
                input_tokens=tokens_in,
                output_tokens=tokens_out,
                cached_tokens=cached,
                reasoning_tokens=reasoning,
                usd=self._spent / UNITS_PER_USD,
                seconds=round(self.elapsed_seconds(), 3),
                retries=counts["retries"],
                refused=counts["refused"],
                written_tokens=written,
                uncertain=self._uncertain,
            )

    def elapsed_seconds(self) -> float:
        return (self._clock() if self._closed is None else self._closed) - self._opened

    def remaining(self) -> float:
        """Seconds of wall time that are left; infinite without a cap."""
        return self.caps.seconds - self.elapsed_seconds()

    def to_json(self) -> dict[str, Any]:
        """The ledger: usage, why it stopped, and each call."""
        return {
            "usage": self.usage.to_json(),
            "stopped": self.stop_reason,
            "ended": self.ended,
            "unpinned": dict(self.unpinned),
            "prices": {"source": self.price.source, "not_applied": list(self.price.unread)},
            "calls": [row.to_json() for row in self.calls],
        }
