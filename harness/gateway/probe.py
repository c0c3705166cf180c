"""A tiny call, with a tool and the pinned parameters, before money is spent: does a model take them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.gateway.account import UNCAPPED
from harness.gateway.pins import Takes
from harness.gateway.upstream import Patience

if TYPE_CHECKING:
    from harness.gateway.models import LanguageModel
    from harness.gateway.price import Price

PATIENCE = Patience(silence=120.0, total=180.0, tries=2)
MAX_CALLS = 2
# Statuses of a provider that may answer soon: its model is not left out of a run for them.
BUSY = frozenset({408, 409, 425, 429, 500, 503, 504, 529})
# Output tokens asked for: OpenAI's responses take no less than 16, and models that reason stop early.
MAX_OUTPUT_TOKENS = 64
WORDS = "Answer with the one word OK. Do not use the tool."
_SCHEMA = {"type": "object", "properties": {"note": {"type": "string"}}}
_FUNCTION = {"name": "leave_note", "description": "Leave a note.", "parameters": _SCHEMA}
_MESSAGES = [{"role": "user", "content": WORDS}]
# A dialect's name -> the path and the body of the call.
REQUESTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "chat": (
        "/v1/chat/completions",
        {"messages": _MESSAGES, "tools": [{"type": "function", "function": _FUNCTION}]},
    ),
    "responses": (
        "/v1/responses",
        {
            "input": _MESSAGES,
            "tools": [{"type": "function", **_FUNCTION}],
            "max_output_tokens": MAX_OUTPUT_TOKENS,
        },
    ),
    "messages": (
        "/v1/messages",
        {
            "messages": _MESSAGES,
            "tools": [
                {"name": "leave_note", "description": "Leave a note.", "input_schema": _SCHEMA}
            ],
            "max_tokens": MAX_OUTPUT_TOKENS,
        },
    ),
    "completions": ("/v1/completions", {"prompt": "The word is", "max_tokens": MAX_OUTPUT_TOKENS}),
}


@dataclass(frozen=True)
class ProbeResult:
    """refused: why the model cannot be used so, "" where it can; passing: the provider may be busy, which
    says nothing of the model; unpinned: parameters that it does not take, and why; usd: what the calls cost.
    """

    refused: str
    unpinned: Mapping[str, str]
    usd: float
    passing: bool = False


def probe_model(
    model: LanguageModel,
    dialect: str,
    pinned: Mapping[str, Any],
    price: Price,
    takes: Takes | None = None,
) -> ProbeResult:
    """Call a model once, in a dialect. An answer that ends by a limit or a filter is an answer."""
    import httpx

    from harness.gateway.gateway import Gateway

    path, body = REQUESTS[dialect]
    # A pinned limit of tokens would make the tiny call a large call where the model thinks.
    sent_pins = {name: value for name, value in pinned.items() if name != "max_tokens"}
    caps = replace(UNCAPPED, calls=MAX_CALLS, seconds=PATIENCE.total)
    with Gateway(patience=PATIENCE) as gateway:
        opened = gateway.open(model, caps, pinned=sent_pins, price=price, takes=takes)
        client = httpx.Client(
            transport=httpx.HTTPTransport(uds=str(opened.socket)),
            headers={"authorization": f"Bearer {opened.account.token}"},
            timeout=None,  # noqa: S113 - the gateway ends every call
        )
        with client:
            client.post(f"http://model{path}", json={"model": "arena", **body})
        opened.close()
    account = opened.account
    row = account.calls[-1] if account.calls else None
    refused = (
        "" if row is not None and (row.status == httpx.codes.OK or row.ending) else "no answer"
    )
    if refused and row is not None:
        refused = row.error or f"HTTP {row.status}"
    passing = bool(refused) and row is not None and row.status in BUSY and not account.ended
    return ProbeResult(refused, dict(account.unpinned), account.usage.usd, passing)
