"""What the dialects have in common: an answer of a model, and its request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]
Stop = Literal["end", "tools", "length"]
# Why no answer comes: the budget is spent; the key is wrong; the request is; the provider failed; it is
# overloaded.
Why = Literal["spent", "key", "request", "provider", "busy"]
# Words of `Reply.finish` for which each dialect has a form of its own.
FILTERED, REFUSED = "content_filter", "refusal"


@dataclass(frozen=True)
class Tokens:
    """Tokens of a call. `cached` are part of `input`, `reasoning` are part of `output`.

    `written` are those of `input` that a provider put into its cache, if it bills them separately;
    `written_hour` of these stay there for an hour. doubt: the contradiction in the provider's counts, of
    which the dearer reading was taken; "" where they agree. billed: USD that the provider says it billed for
    them; None where it says nothing of that.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int = 0
    written_hour: int = 0
    doubt: str = ""
    billed: float | None = None

    @property
    def numbers(self) -> tuple[int, ...]:
        """All counts of tokens, in the order of the fields."""
        return self.input, self.output, self.cached, self.written, self.reasoning, self.written_hour


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants run; `arguments` is the JSON text as the model wrote it.

    kind: the arguments of a "custom" tool are plain text. namespace: the group of tools that it is of.
    """

    id: str
    name: str
    arguments: str = "{}"
    kind: Literal["function", "custom"] = field(default="function", compare=False)
    namespace: str = field(default="", compare=False)


@dataclass(frozen=True)
class Reply:
    """A complete answer. `tokens` is None if the provider reported none: they are then estimated.

    finish: the provider's word for how it ended; "refusal" where a message is a refusal. terms: its words
    that change what the tokens cost, such as a service tier.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    stop: Stop = "end"
    tokens: Tokens | None = None
    finish: str = field(default="", compare=False)
    terms: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Message:
    """A message of a conversation; `tool_call_id` names the call that a tool's message answers."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True)
class ParsedRequest:
    """What a call asks: the conversation so far and the names of the tools on offer."""

    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    streams: bool = False
