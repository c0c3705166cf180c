"""A completions endpoint that echoes the prompt with its log-probabilities: `echo` and `logprobs`.

The OpenAI style's /v1/completions, as vLLM and llama-cpp-python serve it. llama.cpp's own server takes `echo`
but tells log-probabilities only of what it generates, which is told as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.tracks.exposure.perplexity._endpoint import Endpoint, choice_of
from arena.tracks.exposure.perplexity._source import (
    Logprobs,
    Measured,
    ReferenceUnusable,
    Wanted,
)
from arena.tracks.exposure.perplexity._spelling import Misspelled, spelling_span
from harness.grade.ports import ResultCache

PATH = "completions"
GENERATED = 1
"""Tokens asked for beyond the prompt: several servers refuse 0."""


@dataclass(frozen=True)
class Echo:
    endpoint: Endpoint

    @property
    def identity(self) -> tuple[str, ...]:
        return "echo", self.endpoint.base, self.endpoint.model

    def logprobs(self, text: str) -> Logprobs:
        asked = {"prompt": text, "max_tokens": GENERATED, "temperature": 0}
        answer = self.endpoint.post(PATH, {**asked, "echo": True, "logprobs": 1})
        base = self.endpoint.base
        tokens, told = tokens_of(base, choice_of(base, answer))
        try:
            _, end = spelling_span(tokens, text, GENERATED)
        except Misspelled as error:
            raise ReferenceUnusable(f"{base}: not the prompt's tokens: {error}") from error
        return terms_of(base, told[:end])


def tokens_of(base: str, choice: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """Tokens and their log-probabilities, of the same number. Raises ReferenceUnusable."""
    found = choice.get("logprobs")
    if not isinstance(found, dict):
        raise ReferenceUnusable(f"{base}: the answer has no log-probabilities")
    tokens, told = found.get("tokens"), found.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(told, list):
        hint = " but only those of what was generated" if "content" in found else ""
        raise ReferenceUnusable(f"{base}: the answer has no log-probabilities of the prompt{hint}")
    if len(tokens) != len(told):
        raise ReferenceUnusable(f"{base}: {len(tokens)} tokens, but {len(told)} log-probabilities")
    if not all(isinstance(token, str) for token in tokens):
        raise ReferenceUnusable(f"{base}: tokens that are no texts")
    if len(tokens) <= GENERATED:
        raise ReferenceUnusable(f"{base}: it does not echo the prompt; {len(tokens)} token came")
    return tokens, told


def terms_of(base: str, told: list[Any]) -> Logprobs:
    """Log-probabilities as numbers, None for a first one. Raises ReferenceUnusable."""
    for number, one in enumerate(told):
        if one is None and number == 0:
            continue
        if isinstance(one, bool) or not isinstance(one, int | float) or not -1e30 < one <= 0:
            raise ReferenceUnusable(
                f"{base}: token {number} of the prompt has {str(one)[:20]!r} for a log-probability"
            )
    return tuple(None if one is None else float(one) for one in told)


def PLUGIN(wanted: Wanted, cache: ResultCache) -> Measured:
    endpoint = Endpoint(wanted.where, wanted.model, wanted.api_key)
    return Measured(f"{wanted.model} (echo)", Echo(endpoint), cache, wanted.form)
