"""An endpoint called directly: OpenAI's, Anthropic's, or a self-hosted endpoint with their interfaces.

What it speaks goes through as it is; only `model` is replaced, and streamed chat has to report its tokens
(https://platform.openai.com/docs/api-reference/chat/create, `stream_options`).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import aiohttp

from harness.gateway.dialects import BadAnswer, Call
from harness.gateway.models import (
    Answer,
    KeyMissing,
    LanguageModel,
    ProviderFault,
    Stream,
    Unseen,
    Whole,
)
from harness.gateway.models._answered import AnsweredIdentifiers
from harness.gateway.models._betas import anthropic_headers
from harness.gateway.models._provider import fault_of_empty_answer, http_fault
from harness.gateway.models._sealed import seal_body
from harness.gateway.models._translated import TranslatedModel
from harness.gateway.redact import Redactor, redact

PATHS = {
    "chat": "/chat/completions",
    "responses": "/responses",
    "messages": "/messages",
    "completions": "/completions",
}
# Wires whose streams tell their tokens only when that is asked for.
USAGE_ON_REQUEST = frozenset({"chat", "completions"})
# Dialects whose requests may refer to earlier answers.
REFERS = frozenset({"responses"})
# Events with the identifiers of an answer and of its items.
ENDED = re.compile(rb"response\.(?:created|output_item\.done|completed|incomplete)")
# What Anthropic's clients ask for where they use betas.
BETA = "?beta=true"


@dataclass(frozen=True)
class Provider:
    """The dialects of an endpoint, its default address, and the name of its key."""

    speaks: frozenset[str]
    key: str
    address: str = ""


_CHAT = frozenset({"chat", "completions"})
_OPENAI = _CHAT | {"responses"}
# Providers by LiteLLM's names.
PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(_OPENAI, "OPENAI_API_KEY", "https://api.openai.com/v1"),
    "anthropic": Provider(
        frozenset({"messages"}), "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1"
    ),
    "custom_openai": Provider(_CHAT, "OPENAI_API_KEY"),
    "hosted_vllm": Provider(_CHAT, "HOSTED_VLLM_API_KEY"),
    "litellm_proxy": Provider(_OPENAI, "LITELLM_PROXY_API_KEY"),
    "llamafile": Provider(_CHAT, "LLAMAFILE_API_KEY"),
    "lm_studio": Provider(_CHAT, "LM_STUDIO_API_KEY"),
}
NO_KEY = "none"
# An endpoint may send without end, by mistake or since an agent's prompt has it repeat itself.
MAX_ANSWER = 64 << 20
MAX_EVENT = 16 << 20
MAX_ERROR = 64 << 10
CONNECT_TIMEOUT_S = 30.0


class DirectModel:
    """An endpoint. `address` is what clients call the base URL, `/v1` included."""

    def __init__(self, name: str, address: str = "") -> None:
        word, _, self._model = name.partition("/")
        if word not in PROVIDERS or not self._model:
            raise ValueError(f"--model: {name!r} is not {'|'.join(PROVIDERS)}/NAME")
        provider = PROVIDERS[word]
        self.speaks = provider.speaks
        self._key = os.environ.get(provider.key) or NO_KEY
        if not address and (not provider.address or self._key == NO_KEY):
            lacks = (
                f"{provider.key} in the environment or in .env"
                if provider.address
                else "--api-base URL"
            )
            fault = KeyMissing if provider.address else ValueError
            raise fault(f"--model: {name!r} needs {lacks}")
        address = address or provider.address
        where = urlsplit(address)
        if where.scheme not in ("http", "https") or not where.hostname:
            raise ValueError(f"--api-base: {address[:200]!r} is no http or https address")
        self.name = name
        self._address = address.rstrip("/")
        if word == "anthropic" and not self._address.endswith("/v1"):
            self._address += "/v1"  # Anthropic's clients are given the address without it
        self._redact = Redactor()
        self._answered = AnsweredIdentifiers()
        self._opened: aiohttp.ClientSession | None = None

    @property
    def _client(self) -> aiohttp.ClientSession:
        if self._opened is None:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S)
            self._opened = aiohttp.ClientSession(
                # The limits of models decide how many calls run at once, and not a pool of connections.
                connector=aiohttp.TCPConnector(limit=0),
                timeout=timeout,  # the gateway keeps the other times
                # A cookie would tie calls of different attempts together.
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=bool(getproxies()),  # looked up in a thread at each call
            )
        return self._opened

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault, BadRequest."""
        body = seal_body(call.body, call.dialect.name, call.changes, self._answered)
        body["model"] = self._model
        streams = body.get("stream") is True
        # Without its counts a stream could only be estimated, so they are requested for every call.
        hidden = streams and call.dialect.name in USAGE_ON_REQUEST and _ask_for_tokens(body)
        headers = self._headers(call)
        path = PATHS[call.dialect.name]
        try:
            response = await self._client.post(
                f"{self._address}{path}{BETA if 'anthropic-beta' in headers else ''}",
                data=json.dumps(body).encode(),
                headers=headers,
                # A redirect would carry the key and the agent's text to an address that nobody configured.
                allow_redirects=False,
            )
        except (aiohttp.ClientError, OSError) as error:
            raise _unreachable_fault(error) from error
        # An endpoint may ignore `stream` and answer at once; its answer is then put into events below.
        if response.status == 200 and streams and response.content_type == "text/event-stream":
            return Stream(self._events(response, call, hidden))
        return await self._read_whole_answer(response, call, streams)

    def _headers(self, call: Call) -> dict[str, str]:
        key = {"authorization": f"Bearer {self._key}"}
        if call.dialect.name == "messages":
            key = anthropic_headers(call.headers, self._key, call.changes)
        # packed pieces of a stream would come late
        return {"content-type": "application/json", "accept-encoding": "identity", **key}

    async def _read_whole_answer(
        self, response: aiohttp.ClientResponse, call: Call, streams: bool
    ) -> Answer:
        status = response.status
        limit = MAX_ANSWER if status == 200 else MAX_ERROR
        data = self._redact(_strip_comments(await _all(response, limit, call.extend_deadline)))
        if status != 200:
            raise http_fault(status, data, response.headers.get("retry-after", ""))
        try:
            body = json.loads(data)
            if not isinstance(body, dict):
                raise BadAnswer("it is no JSON object")
            reply = call.dialect.read(body)
        except (ValueError, RecursionError) as error:
            raise fault_of_empty_answer(data, error) from error
        if call.dialect.name in REFERS:
            # Before the agent has the answer: it may refer to its items at once.
            self._answered.add_from(data)
        if not streams:
            return Whole(body, raw=data, reply=reply)
        events = _each(call.dialect.events(reply, self._model, call.number))
        return Stream(events, terms=reply.terms)

    async def _events(
        self, response: aiohttp.ClientResponse, call: Call, hidden: bool
    ) -> AsyncIterator[bytes]:
        """The stream in pieces that end where an event ends; events not requested are Unseen."""
        rest, begun, size = bytearray(), False, 0
        refers = call.dialect.name in REFERS
        try:
            async for piece in response.content.iter_any():
                size += len(piece)
                call.extend_deadline()  # a blank line or a part of an event is no event
                if size > MAX_ANSWER:
                    raise ProviderFault(f"the answer is larger than {MAX_ANSWER >> 20} MiB")
                whole = self._redact(_take_whole(rest, piece))
                if len(rest) > MAX_EVENT:
                    raise ProviderFault("an event of the answer has no end")
                if not whole:
                    continue
                begun = True
                if refers and ENDED.search(whole):
                    self._answered.add_from(whole)
                for event in _split_events(whole) if hidden and b'"usage"' in whole else (whole,):
                    yield event
            if rest:
                yield self._redact(bytes(rest))
            elif not begun:
                raise ProviderFault("an empty stream", passing=True)
        except (aiohttp.ClientError, OSError) as error:
            raise _unreachable_fault(error) from error
        finally:
            # A connection with an unread rest cannot be used again.
            response.release() if response.content.at_eof() else response.close()

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()
            self._opened = None


def _ask_for_tokens(body: dict[str, Any]) -> bool:
    """Have the stream report its tokens; True when the agent did not request that."""
    stream_options = body.get("stream_options")
    options = stream_options if isinstance(stream_options, dict) else {}
    body["stream_options"] = {**options, "include_usage": True}
    return options.get("include_usage") is not True


def _take_whole(rest: bytearray, piece: bytes) -> bytes:
    """Add a piece to what is left of an event, and take out what ends with an event's end.

    Only the piece is searched, so that an event in many pieces takes linear time.
    """
    # An end of `\r\n\r\n` may have been cut up to three bytes before the piece.
    start = max(0, len(rest) - 3)
    rest += piece
    ends = ((rest.rfind(mark, start), len(mark)) for mark in (b"\n\n", b"\r\n\r\n"))
    at, length = max(ends)
    if at < 0:
        return b""
    whole = bytes(rest[: at + length])
    del rest[: at + length]
    return whole


def _split_events(events: bytes) -> list[bytes]:
    """Single events, of which those that hold nothing but the tokens are Unseen."""
    blank = b"\r\n\r\n" if b"\r\n\r\n" in events else b"\n\n"
    single = [event + blank for event in events.split(blank) if event.strip()]
    return [Unseen(event) if _only_tokens(event) else event for event in single]


def _only_tokens(event: bytes) -> bool:
    data = b"".join(
        line.removeprefix(b"data:") for line in event.splitlines() if line.startswith(b"data:")
    )
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(chunk, dict) and chunk.get("choices") == [] and bool(chunk.get("usage"))


def _strip_comments(data: bytes) -> bytes:
    """An answer without the blank lines and the comments of an event stream that came before it.

    Providers send them while a model thinks, so that no connection is taken for dead: DeepSeek blank lines,
    OpenRouter comments.
    """
    rest = data.lstrip()
    while rest.startswith(b":"):
        rest = rest.partition(b"\n")[2].lstrip()
    return rest


async def _all(
    response: aiohttp.ClientResponse, limit: int, extend_deadline: Callable[[], None]
) -> bytes:
    parts: list[bytes] = []
    length = 0
    try:
        async for part in response.content.iter_any():
            extend_deadline()
            parts.append(part)
            length += len(part)
            if length > limit:
                break
    except (aiohttp.ClientError, OSError) as error:
        raise _unreachable_fault(error) from error
    finally:
        response.release() if response.content.at_eof() else response.close()
    if length > limit and response.status == 200:
        raise ProviderFault(f"the answer is larger than {limit >> 20} MiB")
    return b"".join(parts)


async def _each(events: Any) -> AsyncIterator[bytes]:
    for event in events:
        yield event


def _unreachable_fault(error: Exception) -> ProviderFault:
    what = redact(str(error)) or "no more is known"
    return ProviderFault(f"{type(error).__name__}: {what}", passing=True)


class NativeOrTranslated:
    """An endpoint that does not speak chat: for the remaining dialects LiteLLM stands in between."""

    def __init__(self, native: DirectModel, address: str) -> None:
        self.name = native.name
        self._native, self._address = native, address
        self._translated: LanguageModel | None = None
        self._making = asyncio.Lock()

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault, BadRequest."""
        if call.dialect.name in self._native.speaks:
            return await self._native.answer(call)
        from harness.gateway.models.litellm import open_litellm

        async with self._making:
            if (
                self._translated is None
            ):  # in a thread: the import takes seconds, and other attempts wait
                self._translated = await asyncio.to_thread(open_litellm, self.name, self._address)
        return await self._translated.answer(call)

    async def close(self) -> None:
        await self._native.close()
        if self._translated is not None:
            await self._translated.close()


def open_direct(argument: str, address: str = "") -> LanguageModel:
    """`PROVIDER/NAME`, at `address` unless that is empty. Raises ValueError with a single line."""
    model = DirectModel(argument, address)
    return TranslatedModel(model) if "chat" in model.speaks else NativeOrTranslated(model, address)


PLUGIN = open_direct
