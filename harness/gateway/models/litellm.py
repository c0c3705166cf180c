"""Any provider by LiteLLM's names (`openrouter/x/y`, `gemini/y`), called by chat completions.

Keys come from the environment, by the names that LiteLLM documents for each provider. Requests of dialects
besides chat are translated to chat first (`_translated.py`): LiteLLM's translation needs packages (`mcp` 2,
`fastapi`) that do not go together with Semgrep's pins.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from harness.gateway.dialects import BadAnswer, Call
from harness.gateway.dialects._json import line
from harness.gateway.models import (
    Answer,
    KeyMissing,
    LanguageModel,
    ProviderFault,
    Stream,
    Unseen,
    Whole,
)
from harness.gateway.models._provider import provider_fault, seconds_of
from harness.gateway.models._sealed import seal_body
from harness.gateway.models._translated import COMPLETIONS, TranslatedModel
from harness.gateway.neutral import Reply
from harness.gateway.provider_errors import ProviderError, read_error
from harness.gateway.redact import Redactor, redact

NO_KEY = "none"
TIMEOUT_S = 1800.0
# What an agent may set. LiteLLM takes much else by the same door, such as addresses and keys.
FIELDS = frozenset(
    (
        *("messages", "tools", "tool_choice", "functions", "function_call", "parallel_tool_calls"),
        *("temperature", "top_p", "n", "stop", "seed", "max_tokens", "max_completion_tokens"),
        *("presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs"),
        *("response_format", "reasoning_effort", "verbosity", "user"),
    )
)
# The same of completions.
CONTINUED = frozenset(
    (
        *("prompt", "suffix", "echo", "logprobs", "temperature", "top_p", "n", "stop", "seed"),
        *("max_tokens", "presence_penalty", "frequency_penalty", "logit_bias", "user"),
    )
)
# What is set for each call, whatever an agent says of it.
SET_FIELDS = frozenset({"model", "stream", "stream_options"})
# Providers that go on with a text, beside LiteLLM's own list of them; for others it would chat.
GOES_ON = frozenset({"text-completion-openai", "text-completion-codestral", "azure_text"})
# Characters of an error of LiteLLM's in which the provider's JSON begins.
MAX_PREFIX = 400
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx", "openai")


class LiteLlm:
    """A provider's model, over chat completions."""

    def __init__(self, name: str, address: str = "") -> None:
        self.name = name
        self._litellm = _quiet_litellm()
        self._options: dict[str, Any] = {
            "model": name,
            "timeout": TIMEOUT_S,
            # The gateway repeats calls, by its table of errors; retries of LiteLLM would not be counted.
            "num_retries": 0,
            "max_retries": 0,
            # LiteLLM leaves out what a provider does not take; without this it raises for each of them.
            "drop_params": True,
        }
        if address:
            # LiteLLM adds the version to an address of Anthropic's itself
            self._options["api_base"] = (
                address.rstrip("/").removesuffix("/v1")
                if name.startswith("anthropic/")
                else address
            )
        self._options |= _key(self._litellm, name, bool(address))
        self.speaks = _speaks(self._litellm, name)
        self._redact = Redactor()

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault, BadRequest."""
        if call.dialect.name == COMPLETIONS:
            return await self._continue_text(call)
        body = _passed_fields(call, FIELDS)
        streams = call.body.get("stream") is True
        if streams:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if not isinstance(body.get("messages"), list):
            _ = call.parsed_request  # raises BadRequest, which says what is wrong
        answer = await self._translate_faults(self._litellm.acompletion(**self._options, **body))
        if streams:
            options = call.body.get("stream_options")
            shows_usage = isinstance(options, dict) and options.get("include_usage") is True
            return Stream(self._events(answer, shows_usage))
        return Whole(self._read(answer, call)[0])

    async def _continue_text(self, call: Call) -> Answer:
        """A text that goes on; its stream is that of the whole answer."""
        body = _passed_fields(call, CONTINUED)
        answer = await self._translate_faults(
            self._litellm.atext_completion(**self._options, **body)
        )
        whole, reply = self._read(answer, call)
        if call.body.get("stream") is not True:
            return Whole(whole)
        return Stream(_each(call.dialect.events(reply, self.name, call.number)))

    def _read(self, answer: Any, call: Call) -> tuple[dict[str, Any], Reply]:
        whole: dict[str, Any] = json.loads(self._redact(_dump(answer).encode()))
        try:
            return whole, call.dialect.read(whole)
        except BadAnswer as error:
            raise ProviderFault(f"no answer but: {redact(str(error))}", passing=True) from error

    async def _translate_faults(self, work: Any) -> Any:
        """What `work` returns. Raises ProviderFault for whatever LiteLLM raises."""
        try:
            return await work
        except StopAsyncIteration:
            raise
        except Exception as error:
            raise _fault(error) from error

    async def _events(self, answer: Any, shows_usage: bool) -> AsyncIterator[bytes]:
        """Chunks as events. Those before the first that says something are held back.

        LiteLLM makes an empty stream of an answer that is none.
        """
        held: list[bytes] = []
        spoken = False
        chunks = aiter(answer)
        while True:
            try:
                chunk = await self._translate_faults(anext(chunks))
            except StopAsyncIteration:
                break
            for event in self._chunk(_plain(chunk), shows_usage):
                held.append(event)
            spoken = spoken or _has_content(_plain(chunk))
            if spoken:
                for event in held:
                    yield event
                held.clear()
        if not spoken:
            raise ProviderFault("an empty answer", passing=True)
        if getattr(answer, "received_finish_reason", "") is None:
            raise ProviderFault(
                "the model's answer broke off"
            )  # LiteLLM ends it as if it were whole
        yield b"data: [DONE]\n\n"

    def _chunk(self, chunk: dict[str, Any], shows_usage: bool) -> list[bytes]:
        """A chunk as events; the tokens get a separate event, as OpenAI sends it."""
        usage = chunk.pop("usage", None)
        choices = chunk.get("choices") or []
        events = []
        if not usage or any(
            choice.get("finish_reason") or choice.get("delta") for choice in choices
        ):
            events.append(self._event(chunk))
        if usage:
            tokens = self._event({**chunk, "choices": [], "usage": usage})
            events.append(tokens if shows_usage else Unseen(tokens))
        return events

    def _event(self, chunk: Mapping[str, Any]) -> bytes:
        return b"data: " + self._redact(json.dumps(chunk).encode()) + b"\n\n"

    async def close(self) -> None:
        """LiteLLM keeps its connections for all models of the process."""


def _passed_fields(call: Call, fields: frozenset[str]) -> dict[str, Any]:
    """What of a request goes to LiteLLM; what does not is reported."""
    body = seal_body(call.body, call.dialect.name, call.changes)
    for name in body.keys() - fields - SET_FIELDS:
        if body[name] is not None:
            call.changes.add(f"{line(name)}: not passed on to LiteLLM")
    return {name: value for name, value in body.items() if name in fields}


async def _each(events: Iterable[bytes]) -> AsyncIterator[bytes]:
    for event in events:
        yield event


def _speaks(litellm: Any, name: str) -> frozenset[str]:
    provider = litellm.get_llm_provider(name)[1]
    goes_on = provider in GOES_ON or provider in litellm.openai_text_completion_compatible_providers
    return frozenset({"chat", COMPLETIONS} if goes_on else {"chat"})


def _dump(answer: Any) -> str:
    text: str = answer.model_dump_json(exclude_none=True, warnings=False)
    return text


def _plain(chunk: Any) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(_dump(chunk))
    return plain


def _has_content(chunk: Mapping[str, Any]) -> bool:
    deltas = [choice.get("delta") or {} for choice in chunk.get("choices") or []]
    names = ("content", "tool_calls", "function_call", "reasoning_content", "refusal")
    return any(delta.get(name) for delta in deltas for name in names)


def _fault(error: Exception) -> ProviderFault:
    """A fault of LiteLLM's as a ProviderFault. Without a status it is a junk answer, which may pass."""
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else 0
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    answered = getattr(error, "litellm_response_headers", None) or headers
    wait = seconds_of(str(answered.get("retry-after", "")))
    message = redact(f"{type(error).__name__}: {error}")
    provider_error = _error_within(str(error), status)
    if provider_error is None:
        code = getattr(error, "code", None)
        codes = (code.lower(),) if isinstance(code, str) and code and not code.isdigit() else ()
        param = getattr(error, "param", None)
        provider_error = ProviderError(
            message, status, codes, param if isinstance(param, str) else ""
        )
    return provider_fault(provider_error, f"{type(error).__name__}: ", wait)


def _error_within(text: str, status: int) -> ProviderError | None:
    """The provider's error, whose JSON LiteLLM puts behind words of LiteLLM's."""
    start = text.find("{", 0, MAX_PREFIX)
    if start < 0:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return read_error(value, status)


def _key(litellm: Any, name: str, has_address: bool) -> dict[str, Any]:
    """Raises ValueError when a provider is missing, KeyMissing when its key is."""
    try:
        validation = litellm.validate_environment(name)
        litellm.get_llm_provider(name)
    except Exception as error:
        raise ValueError(f"--model: {name!r}: {redact(str(error))[:200]}") from error
    if validation["keys_in_environment"]:
        return {}
    if has_address:
        return {"api_key": NO_KEY}
    missing = ", ".join(validation["missing_keys"]) or "its key"
    raise KeyMissing(f"--model: {name!r} needs {missing} in the environment or in .env")


def _quiet_litellm() -> Any:
    """LiteLLM, imported late (it takes seconds) and shielded from the network and from the terminal."""
    # Before the import, which would otherwise download a newer table of prices.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = (
        "PRODUCTION"  # else it reads files `.env` by itself, and says nothing
    )
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    for name in _LOGGERS:
        # Their lines would stand between those of a run's progress.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


def open_litellm(argument: str, address: str = "") -> LanguageModel:
    """`PROVIDER/NAME`, at `address` unless that is empty. Raises ValueError with a single line."""
    return TranslatedModel(LiteLlm(argument, address))


PLUGIN = open_litellm
