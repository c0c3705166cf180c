"""What answers calls, a file each: `script:FILE`, `replay:RUN`, and any provider by LiteLLM's names.

`lookup("harness.gateway.models", kind)` gives a factory; `kind` is what stands before the colon.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from harness.gateway.dialects import Call
from harness.gateway.neutral import Reply, Tokens
from harness.gateway.provider_errors import ProviderError, consequence_of


@dataclass(frozen=True)
class Whole:
    """An answer at once, in the dialect's form. Bytes are passed on as they are (a script's faults).

    raw: `body` as the provider wrote it, to be passed on in its stead; reply: the parsed answer, where it
    has been parsed already. finish: the provider's word for how the answer ended, and terms: its words that
    change the price, where `body` was translated to a different dialect.
    """

    body: dict[str, Any] | bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes = b""
    finish: str = ""
    terms: tuple[str, ...] = ()
    doubt: str = ""
    reply: Reply | None = None


class Unseen(bytes):
    """An event of a stream that is metered, but was not requested by the agent and is not sent to it."""


@dataclass(frozen=True)
class Stream:
    """An answer as it comes: server-sent events of the dialect. finish, terms: as of `Whole`."""

    events: AsyncIterator[bytes]
    finish: str = ""
    terms: tuple[str, ...] = ()
    doubt: str = ""


Answer = Whole | Stream


class ProviderFault(Exception):
    """No answer came, or it broke off.

    error: the provider's message; where there is any, the table of `provider_errors` decides, else `status`
    (0 for none) and `passing` (a retry may succeed) do. wait: seconds until a retry, or None.
    tokens: their number as reported before it failed, which may be billed.
    """

    def __init__(
        self,
        message: str,
        status: int = 0,
        passing: bool = False,
        wait: float | None = None,
        error: ProviderError | None = None,
        tokens: Tokens | None = None,
    ) -> None:
        super().__init__(message)
        self.error = error or ProviderError(message, status)
        self.consequence = consequence_of(self.error)
        self.final = error is not None and self.consequence.final
        self.passing = self.consequence.can_be_retried if error is not None else passing
        self.status = status or self.error.status
        self.wait, self.tokens = wait, tokens
        self.terms: tuple[str, ...] = ()


class KeyMissing(ValueError):
    """A provider's key is not in the environment; the message names it, in a line."""


class ConnectionDropped(Exception):
    """The answer breaks off, and the connection to the agent with it (a script's faults)."""


class Diverged(ProviderFault):
    """A replayed attempt sends a request that the recorded attempt did not; the message says where."""


class LanguageModel(Protocol):
    """Created for each attempt, so that a script starts from its first line."""

    # Name by which prices are looked up; "" costs nothing (scripts and replays).
    name: str

    async def answer(self, call: Call) -> Answer:
        """Raises ProviderFault."""
        ...

    async def close(self) -> None: ...
