"""Whether a model of OpenAI's must be called in responses, where chat completions would refuse the request.

Read from LiteLLM's table, and for tools from the model's version: from GPT-5.4 on, chat completions refuse
functions while the model reasons, which it does by default. LiteLLM 1.106 to 1.110 has the same rule
(`responses_api_bridge_check`), with which a test compares this rule over all names of its table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from harness.gateway.dialects import Body
from harness.gateway.dialects._json import part
from harness.gateway.price_table import load_table

PROVIDER = "openai"
FUNCTIONS_REFUSED_SINCE = (5, 4)
# A hyphen or point must follow, or the end: `gpt-4o` is no version 4.
_VERSION = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?=[.-]|$)")


def needs_responses(model: str, body: Body) -> bool:
    """Whether a request of chat completions to this model (`openai/NAME`) must go as a responses request."""
    provider, _, name = model.partition("/")
    if provider != PROVIDER:
        return False
    entry = load_table().get(name, {})
    return entry.get("mode") == "responses" or (
        _refuses_functions(name)
        and _offers_function(body.get("tools"))
        and _reasons(entry, body.get("reasoning_effort"))
    )


def _refuses_functions(name: str) -> bool:
    version = _VERSION.match(name)
    if version is None or "search" in name:  # models that search take no functions at all
        return False
    return (int(version[1]), int(version[2] or 0)) >= FUNCTIONS_REFUSED_SINCE


def _offers_function(tools: Any) -> bool:
    """Tools of type `custom` are taken in chat completions."""
    return isinstance(tools, list) and any(part(tool, "type") == "function" for tool in tools)


def _reasons(entry: Mapping[str, Any], effort: Any) -> bool:
    """It does by default, and some models refuse to answer without."""
    return effort != "none" or entry.get("supports_none_reasoning_effort") is False
