"""vLLM's `prompt_logprobs` in a chat, for models that are served for chats alone.

The chat's template stands before the text, so that its first token has a probability as well.
"""

from __future__ import annotations

from arena.tracks.exposure.perplexity._endpoint import Endpoint
from arena.tracks.exposure.perplexity._source import Measured, Wanted
from arena.tracks.exposure.perplexity.prompt_logprobs import PromptLogprobs
from harness.grade.ports import ResultCache


def PLUGIN(wanted: Wanted, cache: ResultCache) -> Measured:
    endpoint = Endpoint(wanted.where, wanted.model, wanted.api_key)
    label = f"{wanted.model} (prompt_logprobs, chat)"
    return Measured(label, PromptLogprobs(endpoint, chat=True), cache, wanted.form)
