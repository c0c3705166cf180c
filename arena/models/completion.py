"""Completions of a model through the gateway: metered, capped, each stored.

A completion is keyed by all its inputs (model, messages, what it is about, sample, sampling parameters): a
request is never sent twice, and a run that was stopped goes on from the completions that there are.
"""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.models.no_completion import EndedCall, NoCompletion
from harness.gateway.endings import Ending, reason_of
from harness.gateway.provider_errors import ending_of_error
from harness.grade.ports import ResultCache, digest_of
from harness.protocols import Charge

if TYPE_CHECKING:
    import httpx

    from harness.gateway.dialects import Dialect
    from harness.gateway.gateway import Gateway, OpenAccount
    from harness.gateway.models import LanguageModel
    from harness.gateway.neutral import Reply, Tokens
    from harness.gateway.price import Price
    from harness.protocols import Budget

# Of the answers in the store; part of each key.
FORM = "1"
# Calls that failed one after the other, after which a model is taken as not there.
FAULTS_IN_A_ROW = 5
SCRIPT = "script:"
Message = dict[str, str]
PINS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 2048}


@dataclass(frozen=True)
class ModelSettings:
    """The model to call, and how. The sampling parameters are those of the paper (Section 4.2).

    max_usd and max_calls cap new calls; answers in the store cost nothing. None is no cap.
    """

    model: str
    pins: Mapping[str, Any] = field(default_factory=lambda: dict(PINS))
    api_base: str = ""
    prices: Path | None = None
    allow_unknown_price: bool = False
    max_usd: float | None = None
    max_calls: int | None = None
    jobs: int = 8

    @property
    def identity(self) -> tuple[str, ...]:
        """The settings that determine an answer; a script counts by its content. Raises ValueError."""
        model = self.model
        if model.startswith(SCRIPT):
            path = Path(model.removeprefix(SCRIPT))
            try:
                model = SCRIPT + hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise ValueError(f"--model: {path}: {error.strerror}") from error
        return model, self.api_base, json.dumps(dict(self.pins), sort_keys=True)


@dataclass(frozen=True)
class CompletionRequest:
    """A request. `about` is a digest of its subject; `sample` numbers completions of the same request.

    purpose: the caller; part of the key, so that tracks do not share answers.
    prompt: a text that the model is to go on with, in place of messages.
    """

    messages: tuple[Message, ...]
    about: str = ""
    sample: int = 0
    purpose: str = "mutation-ask"
    prompt: str = ""

    def key(self, identity: Sequence[str]) -> str:
        messages_json = json.dumps(self.messages, sort_keys=True, ensure_ascii=True)
        prompt_part = (self.prompt,) if self.prompt else ()
        return digest_of(
            self.purpose, FORM, *identity, messages_json, self.about, str(self.sample), *prompt_part
        )


@dataclass(frozen=True)
class Completion:
    """A model's completion. `cut`: stopped at its limit of tokens. `stored`: from the store, without a call.

    finish: the provider's word for how it ended; ended: the `Ending` that it stands for, "" for none.
    reasoning_chars: length of the provider's separate field for thoughts, which is never in `text`.
    """

    text: str
    cut: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    stored: bool = False
    ended: str = ""
    finish: str = ""
    reasoning_chars: int = 0

    @property
    def usage(self) -> dict[str, Any]:
        tokens = {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}
        return {**tokens, "usd": self.usd, "stored": self.stored}


@dataclass(frozen=True)
class CompletionBatch:
    """Completions by the request's number. missing: why there is none. ledger: the gateway's
    usage."""

    answers: Mapping[int, Completion]
    missing: Mapping[int, str]
    ledger: Mapping[str, Any]


Done = Callable[[int, Completion | None], None]


def complete_all(
    requests: Sequence[CompletionRequest],
    settings: ModelSettings,
    cache: ResultCache,
    done: Done = lambda number, answer: None,
) -> CompletionBatch:
    """Send what the store has no completion of, `settings.jobs` at a time; `done` is called in this thread.

    A model that does not answer is listed in `missing`. Raises ValueError, UnknownName or UnknownPrice (a
    ValueError) for a model that cannot be used.
    """
    identity = settings.identity
    keys = [request.key(identity) for request in requests]
    answers: dict[int, Completion] = {}
    for number, key in enumerate(keys):
        if (stored := load_completion(key, cache)) is not None:
            answers[number] = stored
            done(number, stored)
    todo = [number for number in range(len(keys)) if number not in answers]
    if not todo:
        expect(settings)
        return CompletionBatch(answers, {}, {})
    missing: dict[int, str] = {}
    with open_client(settings) as client, ThreadPoolExecutor(max(1, settings.jobs)) as pool:
        waiting = {pool.submit(client.ask, requests[n], keys[n], cache): n for n in todo}
        try:
            _collect(waiting, answers, missing, done)
        # An interrupt too: calls that cost money must not go on behind it. All is raised again.
        except BaseException:
            client.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return CompletionBatch(answers, missing, client.ledger)


def _collect(
    waiting: dict[Future[Completion], int],
    answers: dict[int, Completion],
    missing: dict[int, str],
    done: Done,
) -> None:
    while waiting:
        finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in finished:
            number = waiting.pop(future)
            try:
                answers[number] = future.result()
            except NoCompletion as error:
                missing[number] = str(error)
            done(number, answers.get(number))


def load_completion(key: str, cache: ResultCache) -> Completion | None:
    """The answer that is stored under that key, or None."""
    fact = cache.fact(key)
    if fact is None:
        return None
    text = cache.blob(fact["reply"]).decode("utf-8", "replace")
    counts = {name: fact[name] for name in ("cut", "input_tokens", "output_tokens", "usd")}
    facts = {name: fact.get(name, "") for name in ("ended", "finish")}
    thought = fact.get("reasoning_chars", 0)
    return Completion(text, **counts, stored=True, **facts, reasoning_chars=thought)


def keep(key: str, answer: Completion, cache: ResultCache) -> None:
    """Keep an answer under that key, for `load_completion`."""
    reply = cache.keep(answer.text.encode())
    facts = {"cut": answer.cut, "ended": answer.ended, "finish": answer.finish}
    thought = {"reasoning_chars": answer.reasoning_chars}
    cache.put_fact(key, {**answer.usage, **facts, **thought, "reply": reply})


def expect(settings: ModelSettings, key_needed: bool = True) -> None:
    """Look for a model before anything is done. Raises ValueError, UnknownName or UnknownPrice."""
    from harness.gateway.models._make import expect_model
    from harness.gateway.pins import split_effort
    from harness.gateway.prices import load_prices

    name, _ = split_effort(settings.model)
    prices = load_prices(settings.prices)
    expect_model(name, settings.api_base, prices, settings.allow_unknown_price, key_needed)


def _make(settings: ModelSettings) -> tuple[LanguageModel, Price]:
    from harness.gateway.models._make import make_model
    from harness.gateway.pins import split_effort
    from harness.gateway.prices import load_prices

    name, _ = split_effort(settings.model)
    model = make_model(name, settings.api_base)
    prices = load_prices(settings.prices)
    return model, prices.look_up_model_price(name, model.name, settings.allow_unknown_price)[0]


@contextmanager
def open_client(settings: ModelSettings) -> Iterator[CompletionClient]:
    """A client of a new gateway with a single account for all requests, closed at the end."""
    from harness.gateway.account import UNCAPPED
    from harness.gateway.gateway import Gateway
    from harness.gateway.limits import load_limits

    caps = UNCAPPED
    if settings.max_usd is not None:
        caps = replace(caps, usd=settings.max_usd)
    if settings.max_calls is not None:
        caps = replace(caps, calls=settings.max_calls)
    with (
        Gateway(load_limits(settings.prices)) as gateway,
        client_over(gateway, settings, caps) as client,
    ):
        yield client


@contextmanager
def client_over(
    gateway: Gateway, settings: ModelSettings, caps: Budget, charge: Charge | None = None
) -> Iterator[CompletionClient]:
    """A client with a new account of an open gateway; its `ledger` is complete once it is closed."""
    import httpx

    from harness.gateway.pins import load_takes, with_effort

    model, price = _make(settings)
    pins = with_effort(settings.model, settings.pins)[1]
    takes = load_takes(settings.prices)
    opened = gateway.open(model, caps, pinned=pins, price=price, charge=charge, takes=takes)
    http = httpx.Client(
        transport=httpx.HTTPTransport(uds=str(opened.socket), verify=_no_tls()),
        base_url="http://model",
        headers={"authorization": f"Bearer {opened.account.token}"},
        timeout=None,  # noqa: S113 - the gateway ends every call
        limits=httpx.Limits(max_connections=None),
    )
    client = CompletionClient(opened, http, price)
    try:
        with http:
            yield client
    finally:
        opened.close()
        client.ledger = opened.account.usage.to_json()
        client.unpinned = dict(opened.account.unpinned)


@cache
def _no_tls() -> ssl.SSLContext:
    """A context without trusted CAs: a Unix socket needs none, and httpx takes 50 ms to create any."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class CompletionClient:
    """Asks over the gateway's socket; safe to use from several threads."""

    def __init__(self, opened: OpenAccount, client: httpx.Client, price: Price) -> None:
        self._open_account, self._client, self._price = opened, client, price
        self._lock = threading.Lock()
        self._faults = 0
        self._over = ""
        self.ledger: Mapping[str, Any] = {}
        # Parameters that were not sent, and why; as the ledger, whole once the account is closed.
        self.unpinned: Mapping[str, str] = {}

    def end(self, why: str) -> None:
        """Ask nothing more."""
        self._over = self._over or why

    def stop(self) -> None:
        """Send no more requests, and break off those in flight."""
        self.end("interrupted")
        self._open_account.close()

    def ask(self, request: CompletionRequest, key: str, cache: ResultCache) -> Completion:
        """The answer of the model, stored before it is returned. Raises NoCompletion."""
        answer = self.answer(request)
        keep(key, answer, cache)
        return answer

    def answer(self, request: CompletionRequest) -> Completion:
        """The answer of the model, not stored. Raises NoCompletion."""
        if self._over:
            raise NoCompletion(self._over, over=True)
        try:
            answer = self._answer(request)
        except NoCompletion as error:
            self._count(error)
            raise
        with self._lock:
            self._faults = 0
        return answer

    def _count(self, error: NoCompletion) -> None:
        with self._lock:
            self._faults += not isinstance(error, EndedCall)
            if error.over or self._faults >= FAULTS_IN_A_ROW:
                self.end(f"not asked: {error}")

    def _answer(self, request: CompletionRequest) -> Completion:
        import httpx

        dialect, body = _request_body(request)
        try:
            response = self._client.post(dialect.paths[0], json={"model": "arena", **body})
        except httpx.HTTPError as error:
            raise NoCompletion(f"{type(error).__name__}: {error}") from error
        if response.status_code != httpx.codes.OK:
            raise self._read_refusal(response)
        reply = _read(dialect, response)
        reason, cut = reason_of(reply.finish), reply.stop == "length"
        tokens = reply.tokens or _estimate_tokens(len(response.request.content), reply)
        usd = self._price.cost(tokens, reply.terms)
        return Completion(
            _utf8(reply.text), cut, tokens.input, tokens.output, usd, finish=reply.finish,
            ended="" if reason == Ending.OUT_OF_TOKENS else reason,
            reasoning_chars=len(reply.reasoning),
        )  # fmt: skip

    def _read_refusal(self, response: httpx.Response) -> NoCompletion:
        account = self._open_account.account
        try:
            body = response.json()
            reason = str(body["error"]["message"])
        except (ValueError, LookupError, TypeError):
            body, reason = None, response.text
        if account.ended:
            return NoCompletion(account.ended, ended_model=True)
        capped = account.stop_reason in ("usd", "calls", "time", "tokens")
        message = f"{' '.join(reason.split())[:300]} ({response.status_code})"
        if not capped and (ended := ending_of_error(response.status_code, body)):
            return EndedCall(message, ended)
        return NoCompletion(message, over=capped)


def _utf8(text: str) -> str:
    """Text without lone surrogates, which JSON can hold and no file can."""
    return text.encode("utf-8", "replace").decode()


def _request_body(request: CompletionRequest) -> tuple[Dialect, dict[str, Any]]:
    from parsers.registry import lookup

    dialect: Dialect = lookup(
        "harness.gateway.dialects", "completions" if request.prompt else "chat"
    )
    if request.prompt:
        return dialect, {"prompt": _utf8(request.prompt)}
    messages = [{k: _utf8(text) for k, text in message.items()} for message in request.messages]
    return dialect, {"messages": messages}


def _read(dialect: Dialect, response: httpx.Response) -> Reply:
    from harness.gateway.dialects import BadAnswer

    try:
        return dialect.read(response.json())
    except (BadAnswer, ValueError, RecursionError) as error:
        raise NoCompletion(
            f"what came is no answer: {' '.join(str(error).split())[:200]}"
        ) from error


def _estimate_tokens(sent: int, reply: Reply) -> Tokens:
    """Tokens by length, as the gateway's ledger estimates them where a provider reports none."""
    from harness.gateway.account import BYTES_A_TOKEN
    from harness.gateway.neutral import Tokens

    characters = len(reply.text) + len(reply.reasoning)
    return Tokens(sent // BYTES_A_TOKEN, characters // BYTES_A_TOKEN)
