"""Between the server and a model: waits, retries and limits; what is retried costs the agent nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

from tenacity import AsyncRetrying, RetryCallState
from tenacity.wait import wait_random_exponential

from harness.gateway.dialects import Call, Fold
from harness.gateway.limits import Limiter, Pass
from harness.gateway.models import Answer, LanguageModel, ProviderFault, Stream
from harness.gateway.models._provider import provider_fault
from harness.gateway.neutral import Tokens

# Seconds; a provider that asks to wait longer counts as unavailable.
MAX_RETRY_AFTER_S = 300.0

# Bytes of a stream that are held back until it says something.
MAX_HEAD = 4 << 20


@dataclass(frozen=True)
class Patience:
    """Timeouts for a provider, in seconds, and the number of tries.

    silence: until the first byte, and between two, blank lines and comments included. A reasoning model
    says nothing for minutes.
    """

    silence: float = 900.0
    total: float = 1800.0
    tries: int = 5
    step: float = 1.0
    longest_wait: float = 60.0


@dataclass(eq=False)
class PendingAnswer:
    """An answer that has begun. `release` must be called when it ended, however it did."""

    answer: Answer
    _pass: Pass
    _resources: AsyncExitStack

    async def release(self, tokens: int) -> None:
        """Let go of the provider; `tokens` are the tokens of the call."""
        self._pass.tokens = tokens
        await self._resources.aclose()


class Silence:
    """The time that a provider may send nothing, in seconds; any byte of it starts that anew."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._limit: asyncio.Timeout | None = None

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[None]:
        """Raises TimeoutError."""
        try:
            async with asyncio.timeout(self.seconds) as self._limit:
                yield
        finally:
            self._limit = None

    def extend_deadline(self) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self.seconds)


class Upstream:
    """Sends requests to a model, within the limits that all its attempts share."""

    def __init__(
        self, model: LanguageModel, limiter: Limiter | None = None, patience: Patience | None = None
    ) -> None:
        self.model = model
        self._limiter = limiter or Limiter()
        self.patience = patience or Patience()
        if self._limiter.limits.silence is not None:
            self.patience = replace(self.patience, silence=self._limiter.limits.silence)

    async def ask(
        self,
        call: Call,
        tokens: int,
        seconds: float,
        retried: Callable[[ProviderFault], None],
        heard: Callable[[Fold], None] = lambda fold: None,
        may_retry: Callable[[ProviderFault], bool] = lambda fault: True,
    ) -> PendingAnswer:
        """The answer once it says something. Until then a passing fault is retried, within `seconds`.

        tokens: an estimate of the call for the limits. retried: called at each retry with its fault; heard:
        with what reads the start of a stream; may_retry: called with each fault before it, whether there is
        money for another try.
        Raises ProviderFault with the last fault, ConnectionDropped, BadRequest.
        """
        until = asyncio.get_running_loop().time() + seconds
        try:  # most calls are answered: what retries is made for the others
            return await self._ask_once(call, tokens, heard)
        except ProviderFault as fault:
            if not fault.passing:
                raise
            # The first try was without tenacity, which costs every call some time: its fault is handed on.
            first = [fault]

        async def ask_again() -> PendingAnswer:
            if first:
                raise first.pop()
            return await self._ask_once(call, tokens, heard)

        again = AsyncRetrying(
            stop=lambda state: (
                self._gives_up(state, until) or not may_retry(cast(ProviderFault, _fault(state)))
            ),
            wait=self._wait,
            retry=_passing,
            before_sleep=lambda state: retried(cast(ProviderFault, _fault(state))),
            sleep=asyncio.sleep,
            reraise=True,
        )
        return cast(PendingAnswer, await again(ask_again))

    async def _ask_once(
        self, call: Call, tokens: int, heard: Callable[[Fold], None]
    ) -> PendingAnswer:
        async with AsyncExitStack() as resources:
            mine = await resources.enter_async_context(self._limiter.slot(tokens))
            silence = Silence(self.patience.silence)
            try:
                async with silence.limit():
                    answer = await self.model.answer(
                        replace(call, extend_deadline=silence.extend_deadline)
                    )
            except TimeoutError as error:
                raise self._silent("no answer") from error
            if isinstance(answer, Stream):
                fold = call.dialect.fold()
                heard(fold)
                answer = await self._await_first_words(answer, fold, resources, silence)
            # The slot goes on with the answer: a stream takes part in the limits until it ends.
            return PendingAnswer(answer, mine, resources.pop_all())

    async def _await_first_words(
        self, stream: Stream, fold: Fold, resources: AsyncExitStack, silence: Silence
    ) -> Stream:
        """The stream once its first words are there: after an error before them the call can be repeated.

        So the consequence of an error does not depend on the pieces that the stream arrives in.
        """
        events = aiter(stream.events)
        if (close := getattr(events, "aclose", None)) is not None:
            resources.push_async_callback(close)
        head: list[bytes] = []
        size = 0
        try:
            # Behind empty chunks it is still the start: no part of the answer has reached the agent.
            while not fold.begun and size <= MAX_HEAD:
                async with silence.limit():
                    head.append(await anext(events))
                size += len(head[-1])
                fold.feed(head[-1])
                if fold.error is not None and fold.failed_first:
                    raise provider_fault(fold.error, "the stream begins with an error: ")
        except StopAsyncIteration:
            raise ProviderFault(
                "the stream ended before its first words", passing=True, tokens=fold.reply().tokens
            ) from None
        except TimeoutError as error:
            raise self._silent("no answer", fold.reply().tokens) from error
        except ProviderFault as fault:
            reply = fold.reply()
            # Anthropic reports the input at the start of a stream: what fails after that is billed for it.
            fault.tokens, fault.terms = fault.tokens or reply.tokens, reply.terms
            raise
        rest = self._rest(head, events, silence)
        resources.push_async_callback(rest.aclose)
        return replace(stream, events=rest)

    async def _rest(self, head: list[bytes], events: AsyncIterator[bytes], silence: Silence) -> Any:
        for event in head:
            yield event
        while True:
            try:
                async with silence.limit():
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise self._silent("nothing more") from error
            yield event

    def _silent(self, what: str, tokens: Tokens | None = None) -> ProviderFault:
        """A single patience: a model that thinks is not called again, since each try would be billed."""
        silence = self.patience.silence
        return ProviderFault(f"{what} from the model for {silence:g} s (`silence`)", tokens=tokens)

    def _wait(self, state: RetryCallState) -> float:
        wait_s = getattr(_fault(state), "wait", None)
        # A provider's `Retry-After` is better than any guess.
        if wait_s is not None:
            return max(0.0, float(wait_s))
        patience = self.patience
        # Random, since attempts that a provider turned away together would come back together.
        return float(wait_random_exponential(patience.step, patience.longest_wait)(state))

    def _gives_up(self, state: RetryCallState, until: float) -> bool:
        wait = state.upcoming_sleep
        # A wait that ends behind the attempt's time would only delay the answer that it is over.
        over = asyncio.get_running_loop().time() + wait >= until
        return state.attempt_number >= self.patience.tries or over or wait > MAX_RETRY_AFTER_S


def _fault(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome is not None else None


def _passing(state: RetryCallState) -> bool:
    fault = _fault(state)
    return isinstance(fault, ProviderFault) and fault.passing
