"""Which of Anthropic's headers go on: the version of the API, and those betas that do not reach out.

An agent is measured as it is: with the version and the betas that it asks for
(https://docs.anthropic.com/en/api/versioning, https://docs.anthropic.com/en/api/beta-headers). A beta that is
not listed stays behind and is reported; the fields of a request that it stands for, and the tools, are those
that `_seal_rules.py` does not list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from harness.gateway.changes import Changes
from harness.gateway.dialects._json import line

# The version for callers that ask for none.
VERSION = "2023-06-01"
# Version from which Anthropic's own clients (SDK 2.12, 2026) send a key as a bearer's token.
BEARER_SINCE = "2026-10-21"
MAX_BETAS = 50
# Names without their dates: of betas that change how a model thinks, caches, answers and learns of tools.
BETAS = frozenset(
    {
        *("claude-code", "effort", "adaptive-thinking", "interleaved-thinking"),
        *("redact-thinking", "dev-full-thinking", "thinking-token-count"),
        *("thinking-display-updates", "thinking-binding-controls", "context-management"),
        *("context-1m", "model-context-window-exceeded", "compact", "output-128k"),
        *("output-300k", "prompt-caching", "prompt-caching-scope", "extended-cache-ttl"),
        *("cache-diagnosis", "token-counting", "token-efficient-tools", "tool-examples"),
        *("fine-grained-tool-streaming", "advanced-tool-use", "tool-search-tool"),
        *("structured-outputs", "task-budgets", "pdfs", "inline-tools"),
        *("mid-conversation-tool-changes", "mid-conversation-output-config"),
        "mid-conversation-system-clear-at",
    }
)
_DATED = re.compile(r"([a-z0-9-]{1,60})-(?:\d{4}-\d{2}-\d{2}|\d{8})")
# A header of any form would otherwise go to Anthropic under our key.
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}")


def anthropic_headers(headers: Mapping[str, str], key: str, changes: Changes) -> dict[str, str]:
    """The headers of a request to Anthropic for an agent that sent the headers `headers`."""
    version = headers.get("anthropic-version", "").strip()
    if not _VERSION.fullmatch(version):
        version = VERSION
    betas = _passed_betas(headers.get("anthropic-beta", ""), changes)
    named = {"authorization": f"Bearer {key}"} if version >= BEARER_SINCE else {"x-api-key": key}
    return {"anthropic-version": version, **named} | (
        {"anthropic-beta": ",".join(betas)} if betas else {}
    )


def report_betas(headers: Mapping[str, str], changes: Changes) -> None:
    """Report all betas of a request that is translated to a different dialect."""
    for name in _names(headers.get("anthropic-beta", "")):
        changes.add(f"anthropic-beta: {line(name)} not passed on")


def _passed_betas(header: str, changes: Changes) -> list[str]:
    passed = []
    for name in _names(header):
        dated = _DATED.fullmatch(name)
        if dated and dated[1] in BETAS:
            passed.append(name)
        else:
            changes.add(f"anthropic-beta: {line(name)} not passed on")
    return passed


def _names(header: str) -> list[str]:
    names = [name.strip() for name in header.split(",", MAX_BETAS)]
    return list(dict.fromkeys(filter(None, names)))
