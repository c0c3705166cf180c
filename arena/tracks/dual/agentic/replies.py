"""What a reply of the agentic executor's model holds; it may be of any form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arena.models.blocks import find_blocks
from arena.models.thoughts import drop_thoughts
from arena.tracks.dual.material import json_blocks, json_in

Cause = Literal["environment", "script", "code", ""]
CAUSES: tuple[Cause, ...] = ("environment", "script", "code")
MAX_SCRIPT = 64_000
MAX_PACKAGES = 20
MAX_REASON = 500


@dataclass(frozen=True)
class AgenticReply:
    """script, cause: "" where the reply has none. packages: None where the reply does not name any."""

    script: str = ""
    packages: tuple[str, ...] | None = None
    cause: Cause = ""
    reason: str = ""


def read(text: str) -> AgenticReply:
    """The last script and the first object of JSON in a reply. Raises nothing."""
    blocks = find_blocks(drop_thoughts(text))
    scripts = [block.text for block in blocks if block.python and len(block.text) <= MAX_SCRIPT]
    # Models often show parts or a first version before the whole script.
    script = scripts[-1] if scripts else ""
    candidates = [candidate for candidate in json_blocks(text) if isinstance(candidate, dict)] or [
        json_in(text)
    ]
    facts: dict[str, Any] = candidates[0] if isinstance(candidates[0], dict) else {}
    cause: Cause = next((candidate for candidate in CAUSES if candidate == facts.get("cause")), "")
    reason = facts.get("reason")
    reason_text = " ".join(reason.split())[:MAX_REASON] if isinstance(reason, str) else ""
    return AgenticReply(script, _packages(facts.get("packages")), cause, reason_text)


def _packages(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    names = [item.strip() for item in value if isinstance(item, str) and item.strip()]
    return tuple(dict.fromkeys(names))[:MAX_PACKAGES]
