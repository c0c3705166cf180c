"""vLLM's `prompt_logprobs`: for each token of the prompt its log-probability, by token id."""

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
from arena.tracks.exposure.perplexity._spelling import (
    Misspelled,
    all_but_first,
    spelling_span,
    within,
)
from arena.tracks.exposure.perplexity.echo import terms_of
from harness.grade.ports import ResultCache

# 0: of the prompt's own tokens alone. Ids distinguish these where a server gives others as well.
REQUEST_FIELDS: dict[str, Any] = {
    "max_tokens": 1,
    "temperature": 0,
    "prompt_logprobs": 0,
    "return_token_ids": True,
}
FIELD = "prompt_logprobs"


@dataclass(frozen=True)
class PromptLogprobs:
    """chat: the text is a user's message, and its tokens are looked for within the filled chat template."""

    endpoint: Endpoint
    chat: bool = False

    @property
    def identity(self) -> tuple[str, ...]:
        kind = "prompt-logprobs-chat" if self.chat else "prompt-logprobs"
        return kind, self.endpoint.base, self.endpoint.model

    def logprobs(self, text: str) -> Logprobs:
        base = self.endpoint.base
        if self.chat:
            messages = [{"role": "user", "content": text}]
            answer = self.endpoint.post(
                "chat/completions", {"messages": messages, **REQUEST_FIELDS}
            )
        else:
            answer = self.endpoint.post("completions", {"prompt": text, **REQUEST_FIELDS})
        tokens, logprobs = _entries(base, answer)
        try:
            first, end = within(tokens, text) if self.chat else _prompt_span(tokens, text)
        except Misspelled as error:
            raise ReferenceUnusable(f"{base}: not the prompt's tokens: {error}") from error
        return terms_of(base, logprobs[first:end])


def _prompt_span(tokens: list[str], text: str) -> tuple[int, int]:
    """All of them: nothing else stands in the prompt. Raises Misspelled."""
    if tokens[0]:
        return spelling_span(tokens, text, 0)
    all_but_first(tokens, text)
    return 0, len(tokens)


def _entries(base: str, answer: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """Tokens with their log-probabilities; the first, for which the answer has none, is "" and None."""
    places = (choice_of(base, answer), answer)
    listed = next((place[FIELD] for place in places if isinstance(place.get(FIELD), list)), None)
    if not listed:
        raise ReferenceUnusable(f"{base}: the answer has no {FIELD}; is it vLLM that serves it?")
    ids = next(
        (place["prompt_token_ids"] for place in places if place.get("prompt_token_ids")), None
    )
    if ids is not None and (not isinstance(ids, list) or len(ids) != len(listed)):
        raise ReferenceUnusable(f"{base}: prompt_token_ids are not as many as {FIELD}")
    tokens: list[str] = []
    logprobs: list[Any] = []
    for number, entry in enumerate(listed):
        if entry is None and number == 0:
            tokens.append("")
            logprobs.append(None)
            continue
        item = _prompt_entry(base, number, entry, ids)
        tokens.append(str(item.get("decoded_token") or ""))
        logprobs.append(item.get("logprob"))
    return tokens, logprobs


def _prompt_entry(base: str, number: int, entry: Any, ids: list[Any] | None) -> dict[str, Any]:
    """The entry of the prompt's token among the tokens that the answer lists for a position."""
    if isinstance(entry, dict):
        if len(entry) == 1:
            (result,) = entry.values()
        else:
            # Entries may hold the likeliest token beside the prompt's own.
            result = entry.get(str(ids[number])) if ids is not None else None
        if isinstance(result, dict):
            return result
    raise ReferenceUnusable(f"{base}: {FIELD}[{number}] does not tell which token is the prompt's")


def PLUGIN(wanted: Wanted, cache: ResultCache) -> Measured:
    reference = PromptLogprobs(Endpoint(wanted.where, wanted.model, wanted.api_key))
    return Measured(f"{wanted.model} (prompt_logprobs)", reference, cache, wanted.form)
