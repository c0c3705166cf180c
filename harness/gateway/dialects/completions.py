"""OpenAI's older completions (`/v1/completions`): a text that a base model goes on with.

A prompt, which is text, and its first answer: https://platform.openai.com/docs/api-reference/completions.
There are no messages, no tools and no reasoning here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.gateway.dialects import BadRequest, Body, Refusal
from harness.gateway.dialects._chat_answer import (
    DONE,
    ChoiceFold,
    answer,
    first_choice,
    usage,
    usage_of,
)
from harness.gateway.dialects._dialect import EPOCH, Played, openai_refusal, pin_parameters
from harness.gateway.dialects._json import JsonReader, clean, stop_of, word
from harness.gateway.dialects._sse import pieces, write
from harness.gateway.dialects._usage import terms_of, tokens_of
from harness.gateway.neutral import Message, ParsedRequest, Reply

NAMES = {"temperature": "temperature", "top_p": "top_p", "seed": "seed", "max_tokens": "max_tokens"}

request = JsonReader(BadRequest)


class Completions(Played):
    name = "completions"
    names = NAMES
    paths = ("/v1/completions", "/completions")

    def parse_request(self, body: Body) -> ParsedRequest:
        """Several prompts in a call would be several answers for a single call's cap: they are refused."""
        body = request.object(body, "")
        prompt = body.get("prompt")
        if not isinstance(prompt, str) or not prompt:
            raise request.wrong("prompt", "one text that is not empty")
        streams = request.flag(body.get("stream"), "stream")
        return ParsedRequest((Message("user", clean(prompt)),), (), streams)

    def apply_parameters(self, body: Body, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return pin_parameters(body, parameters, NAMES)

    def render(self, reply: Reply, model: str, number: int) -> dict[str, Any]:
        """Reasoning and calls of tools have no place here, and are left out."""
        finish = "length" if reply.stop == "length" else "stop"
        choice = {"index": 0, "text": reply.text, "logprobs": None, "finish_reason": finish}
        body = {
            "id": f"cmpl-{number:024d}",
            "object": "text_completion",
            "created": EPOCH + number,
            "model": model,
            "choices": [choice],
        }
        return body | ({"usage": usage(reply.tokens)} if reply.tokens else {})

    def stream(self, body: Body) -> Iterator[bytes]:
        """A whole answer as its stream, the usage's chunk included."""
        head = {key: body.get(key) for key in ("id", "object", "created", "model")}
        choice = _choice(body)
        for piece in pieces(choice["text"]):
            yield write(head | {"choices": [{**choice, "text": piece, "finish_reason": None}]})
        yield write(head | {"choices": [{**choice, "text": ""}]})
        if body.get("usage"):
            yield write(head | {"choices": [], "usage": body["usage"]})
        yield DONE

    def read(self, body: Body) -> Reply:
        choice = _choice(answer.object(body, ""))
        finish, tokens = word(choice.get("finish_reason")), tokens_of(usage_of(body))
        stop = stop_of((), cut=finish == "length")
        return Reply(
            clean(choice["text"]), stop=stop, tokens=tokens, finish=finish, terms=terms_of(body)
        )

    def fold(self) -> CompletionsFold:
        return CompletionsFold()

    def refusal(self, refusal: Refusal) -> tuple[int, dict[str, Any]]:
        return openai_refusal(refusal)

    def failure(self, refusal: Refusal) -> bytes:
        return write(self.refusal(refusal)[1])


def _choice(body: Body) -> Mapping[str, Any]:
    choice = first_choice(body)
    if not isinstance(choice.get("text"), str):
        raise answer.wrong("choices.0.text", "text")
    return choice


class CompletionsFold(ChoiceFold):
    """A text."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[str] = []

    def piece(self, choice: dict[str, Any]) -> bool:
        text = choice.get("text")
        self._texts.append(text if isinstance(text, str) else "")
        return True

    def body(self) -> dict[str, Any]:
        return self.render_choice("text_completion", {"text": clean("".join(self._texts))})

    def reply(self) -> Reply:
        return PLUGIN.read(self.body())


PLUGIN = Completions()
