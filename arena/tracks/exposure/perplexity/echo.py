"""A completions endpoint that echoes the prompt with its log-probabilities: `echo` and `logprobs`.

The OpenAI style's /v1/completions, as vLLM and llama-cpp-python serve it. llama.cpp's server takes `echo`
but returns log-probabilities only of what it generates, which is reported as such.
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
# Tokens asked for beyond the prompt: several servers refuse 0.
GENERATED = 1


@dataclass(frozen=True)
class Echo:
    endpoint: Endpoint

    @property
    def identity(self) -> tuple[str, ...]:
        return "echo", self.endpoint.base, self.endpoint.model

    def logprobs(self, text: str) -> Logprobs:
        request = {"prompt": text, "max_tokens": GENERATED, "temperature": 0}
        answer = self.endpoint.post(PATH, {**request, "echo": True, "logprobs": 1})
        base = self.endpoint.base
        tokens, logprobs = tokens_of(base, choice_of(base, answer))
        try:
            _, end = spelling_span(tokens, text, GENERATED)
        except Misspelled as error:
            raise ReferenceUnusable(f"{base}: not the prompt's tokens: {error}") from error
        return terms_of(base, logprobs[:end])


def tokens_of(base: str, choice: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """Tokens and their log-probabilities, of the same number. Raises ReferenceUnusable."""
    result = choice.get("logprobs")
    if not isinstance(result, dict):
        raise ReferenceUnusable(f"{base}: the answer has no log-probabilities")
    tokens, logprobs = result.get("tokens"), result.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(logprobs, list):
        hint = " but only those of what was generated" if "content" in result else ""
        raise ReferenceUnusable(f"{base}: the answer has no log-probabilities of the prompt{hint}")
    if len(tokens) != len(logprobs):
        raise ReferenceUnusable(
            f"{base}: {len(tokens)} tokens, but {len(logprobs)} log-probabilities"
        )
    if not all(isinstance(token, str) for token in tokens):
        raise ReferenceUnusable(f"{base}: tokens that are no texts")
    if len(tokens) <= GENERATED:
        raise ReferenceUnusable(f"{base}: it does not echo the prompt; {len(tokens)} token came")
    return tokens, logprobs


def terms_of(base: str, logprobs: list[Any]) -> Logprobs:
    """Log-probabilities as numbers, None for a first token. Raises ReferenceUnusable."""
    for number, item in enumerate(logprobs):
        if item is None and number == 0:
            continue
        # Minus infinity would make any text impossible, and what is above 0 is no logarithm
        # of a chance.
        if isinstance(item, bool) or not isinstance(item, int | float) or not -1e30 < item <= 0:
            raise ReferenceUnusable(
                f"{base}: token {number} of the prompt has {str(item)[:20]!r} for a log-probability"
            )
    return tuple(None if item is None else float(item) for item in logprobs)


def PLUGIN(wanted: Wanted, cache: ResultCache) -> Measured:
    endpoint = Endpoint(wanted.where, wanted.model, wanted.api_key)
    return Measured(f"{wanted.model} (echo)", Echo(endpoint), cache, wanted.form)
