"""Parameters that are pinned for all calls of an attempt: which there are, and which of them a model takes.

What a model takes is stated by LiteLLM's table (`supports_sampling_params`, `supports_reasoning`), by the
user's file (`[takes."NAME"]`), and last by the provider, who refuses the rest (`request_handler.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.gateway._terms import read_terms
from harness.gateway.price_table import load_table
from harness.gateway.prices import shorter_names
from harness.user_names import strip_name

SAMPLING = frozenset({"temperature", "top_p"})
# What can be pinned, as named in chat completions, and the kind of its value.
PARAMETERS: Mapping[str, type[int] | type[float] | type[str]] = {
    "temperature": float,
    "top_p": float,
    "max_tokens": int,
    "seed": int,
    "reasoning_effort": str,
    "verbosity": str,
    "thinking_budget": int,
}
# What else a parameter is called: a provider may be asked in another dialect than the agent's.
PARAMETER_ALIASES: Mapping[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens", "max_output_tokens"),
    "reasoning_effort": ("reasoning.effort", "output_config.effort", "effort"),
    "verbosity": ("text.verbosity",),
    "thinking_budget": ("thinking.budget_tokens", "budget_tokens", "thinking"),
}
# Values that providers take, November 2026; which of them a model takes it says itself.
WORDS: Mapping[str, tuple[str, ...]] = {
    "reasoning_effort": ("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    "verbosity": ("low", "medium", "high"),
}
_OPENAI = frozenset({"openai", "azure", "azure_ai"})


def check_pin(name: str, value: Any) -> None:
    """Raises ValueError for what cannot be pinned, or not to this value. None: not sent."""
    if name not in PARAMETERS:
        raise ValueError(f"{name!r} is none of {', '.join(PARAMETERS)}")
    if value is None:
        return
    if PARAMETERS[name] is str:
        if value not in WORDS[name]:
            raise ValueError(f"{name}: {value!r} is none of {', '.join(WORDS[name])}")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name}: {value!r} is no number")


def is_named(parameter: str, text: str) -> bool:
    """Whether a provider's text names a parameter, as any dialect calls it."""
    names = (parameter, *PARAMETER_ALIASES.get(parameter, ()))
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) for name in names)


def split_effort(model: str) -> tuple[str, str]:
    """`PROVIDER/NAME@high` -> the model, without a user's name for it, and its reasoning effort or ""."""
    whole = strip_name(model)
    name, at, effort = whole.rpartition("@")
    return (name, effort) if at and effort in WORDS["reasoning_effort"] else (whole, "")


def with_effort(model: str, pins: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A model as a user wrote it -> its name, and the pins with the effort that the name states."""
    name, effort = split_effort(model)
    return name, {**pins, "reasoning_effort": effort} if effort else dict(pins)


@dataclass(frozen=True)
class Pins:
    """`put_in`: parameter -> value, for every request; `left_out`: parameter -> why it is not put in."""

    put_in: Mapping[str, Any]
    left_out: Mapping[str, str]


# A model's name -> a parameter -> whether it takes it: the user's own word.
Takes = Mapping[str, Mapping[str, bool]]


def choose_pins(model: str, wanted: Mapping[str, Any], takes: Takes | None = None) -> Pins:
    """The wanted parameters without those that a model does not take. A model without a name takes all."""
    put_in, left_out = {}, {}
    for name, value in wanted.items():
        why = _refusal(model, name, wanted, takes or {})
        if why:
            left_out[name] = why
        else:
            put_in[name] = value
    return Pins(put_in, left_out)


def load_takes(file: Path | None) -> Takes:
    """`[takes."NAME"]` of a TOML file: `temperature = false`. Raises ValueError with a single line."""
    takes = {}
    for name, row in (read_terms(file, "takes") if file else {}).items():
        where = f"{file}: takes.{name}"
        if not isinstance(row, dict) or not row.keys() <= PARAMETERS.keys():
            raise ValueError(f"{where}: may have {', '.join(PARAMETERS)}")
        if not all(isinstance(value, bool) for value in row.values()):
            raise ValueError(f"{where}: each is true or false")
        takes[name] = row
    return takes


def _refusal(model: str, parameter: str, wanted: Mapping[str, Any], takes: Takes) -> str:
    """Why a model does not take a parameter; "" where it does, or that is unknown."""
    for name in shorter_names(model) if model else ():
        if (reason := takes.get(name, {}).get(parameter)) is not None:
            return "" if reason else "the prices' file says that the model does not take it"
    entry = _entry(model)
    if parameter not in SAMPLING or entry is None:
        return ""
    if entry.get("supports_sampling_params") is False:
        return "the model takes no sampling parameters (LiteLLM's table)"
    # OpenAI's reasoning models answer 400 to a temperature; with effort `none` they take it.
    reasons = entry.get("supports_reasoning") is True and wanted.get("reasoning_effort") != "none"
    if reasons and entry.get("litellm_provider") in _OPENAI and _is_openai_s(model):
        return "OpenAI's models take none while they reason"
    return ""


def _is_openai_s(model: str) -> bool:
    name = model.rpartition("/")[2]
    return name.startswith(("gpt-", "o1", "o3", "o4", "codex"))


def _entry(model: str) -> Mapping[str, Any] | None:
    try:
        table = load_table()
    except FileNotFoundError:
        return None
    return (
        next((table[name] for name in shorter_names(model) if name in table), None)
        if model
        else None
    )
