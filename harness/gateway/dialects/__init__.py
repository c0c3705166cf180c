"""The protocols that agents speak to a model, a file each (`lookup("harness.gateway.dialects", name)`).

`chat` is OpenAI's chat completions, `responses` OpenAI's responses, `messages` Anthropic's messages;
`completions` is OpenAI's older dialect, for base models that continue a text.
A dialect only translates: it holds no state, knows no account and opens no connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from harness.gateway.changes import Changes
from harness.gateway.neutral import ParsedRequest, Reply, Why
from harness.gateway.provider_errors import ProviderError

Body = Mapping[str, Any]
# Headers of a request that say how its body is meant. All others, keys among them, stay behind.
HEADERS = ("anthropic-version", "anthropic-beta")
__all__ = [
    "HEADERS",
    "BadAnswer",
    "BadRequest",
    "Body",
    "Call",
    "Dialect",
    "Fold",
    "Refusal",
    "Why",
]


class BadRequest(ValueError):
    """The body is no request of this dialect; the message is a line that names the field."""


class BadAnswer(ValueError):
    """What the provider sent is no answer of this dialect; the message is a line."""


@dataclass(frozen=True)
class Refusal:
    """Why no answer comes, reported in the dialect's form. code: the provider's word for it, "" for none."""

    why: Why
    message: str
    code: str = ""


class Fold(Protocol):
    """Reads the events of a streamed answer as they pass by; memory is bounded by the answer.

    error: the provider's report in the stream when it failed, None until then. begun: a part of the answer
    itself has come. failed_first: the error stood before it. is_usage_final: the counts of
    tokens that have come are those of the whole answer.
    """

    error: ProviderError | None
    begun: bool
    failed_first: bool
    is_usage_final: bool

    def feed(self, chunk: bytes) -> None:
        """Any piece of the stream, cut anywhere. Raises nothing: what is no event is counted."""
        ...

    def end(self) -> None:
        """The provider has closed the stream in good order: an answer that lacks but its closing event is
        whole.
        """
        ...

    @property
    def complete(self) -> bool:
        """True once the dialect's closing event has passed."""
        ...

    def reply(self) -> Reply:
        """The text so far."""
        ...

    def body(self) -> dict[str, Any]:
        """The same as the whole answer without streaming."""
        ...


class Dialect(Protocol):
    """A protocol. Bodies are parsed JSON objects; events are bytes of server-sent events."""

    name: str
    # Paths that its requests are posted to, the documented one first.
    paths: tuple[str, ...]

    def parse_request(self, body: Body) -> ParsedRequest:
        """Raises BadRequest."""
        ...

    def apply_parameters(self, body: Body, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The body with parameters (temperature, max_tokens, reasoning_effort and the like) put in or over.

        Named as in chat completions; what the dialect lacks is left out. None removes a parameter.
        """
        ...

    def render(self, reply: Reply, model: str, number: int) -> dict[str, Any]:
        """The answer as a JSON object; `number` determines its ids, so that they are the same each time."""
        ...

    def events(self, reply: Reply, model: str, number: int) -> Iterator[bytes]:
        """The answer as the dialect's stream of server-sent events, the closing event included."""
        ...

    def stream(self, body: Body) -> Iterator[bytes]:
        """A whole answer, ours or a provider's, as its stream; nothing of it is lost."""
        ...

    def read(self, body: Body) -> Reply:
        """A whole answer of a provider. Raises BadAnswer."""
        ...

    def fold(self) -> Fold: ...

    def refusal(self, refusal: Refusal) -> tuple[int, dict[str, Any]]:
        """HTTP status and body; "spent" is what makes agents of this dialect stop at the first."""
        ...

    def failure(self, refusal: Refusal) -> bytes:
        """The event with which a stream ends that had begun and cannot go on."""
        ...


@dataclass(frozen=True)
class Call:
    """A call of an attempt: its dialect, its body, and its number within the attempt (from 0).

    headers: those of the request that say how its body is meant (`HEADERS`), by their names in lower case.
    changes: where whoever alters the request on its way reports that. extend_deadline: to be called for each
    piece of the answer that has come, also where it says nothing yet.
    """

    dialect: Dialect
    body: Body
    number: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes, compare=False)
    extend_deadline: Callable[[], None] = field(default=lambda: None, compare=False)

    @cached_property
    def parsed_request(self) -> ParsedRequest:
        """Raises BadRequest."""
        return self.dialect.parse_request(self.body)
