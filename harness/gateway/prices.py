"""Tokens -> USD, by the price map that LiteLLM ships; a TOML file can override it.

The map is read from LiteLLM's package data (`model_prices_and_context_window_backup.json`): importing
all of LiteLLM takes seconds, and it would ask the network for a newer map.
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.gateway._terms import read_terms
from harness.gateway.neutral import Tokens

MAP = "model_prices_and_context_window_backup.json"
MILLION = 1_000_000
_FIELDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cached": "cache_read_input_token_cost",
    "written": "cache_creation_input_token_cost",
}
_STEPS = (("128k", 128_000), ("200k", 200_000), ("256k", 256_000), ("272k", 272_000))
"""Lengths of the input above which providers charge the whole call more, as LiteLLM names them."""


class UnknownPrice(ValueError):
    """No price is known for a model; the message is one line that says what to do."""


@dataclass(frozen=True)
class Price:
    """USD per token. Without a price of their own, cached and written tokens cost what input costs.

    above: (tokens of input, the price of a call with more than that).
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    written: float | None = None
    above: tuple[int, Price] | None = None

    def cost(self, tokens: Tokens) -> float:
        """USD of one call."""
        if self.above is not None and tokens.input > self.above[0]:
            return self.above[1].cost(tokens)
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        plain = max(0, tokens.input - tokens.cached - tokens.written)
        return math.fsum(
            (
                plain * self.input,
                tokens.cached * cached,
                tokens.written * written,
                tokens.output * self.output,
            )
        )


FREE = Price()


class Prices:
    """Prices by the model's name. `own` override LiteLLM's."""

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = dict(own or {})

    def of(self, model: str, allow_unknown: bool = False) -> tuple[Price, bool]:
        """The price of a model, and whether it is known. The empty name costs nothing.

        A name is looked up as it is, then without its leading parts (`openrouter/a/b`, `a/b`, `b`).
        Raises UnknownPrice unless `allow_unknown`, which gives (FREE, False).
        """
        if not model:
            return FREE, True
        for name in _shorter(model):
            if name in self._own:
                return self._own[name], True
        if model.partition("/")[0] == "openrouter" and model not in _map():
            return self._unknown(model, allow_unknown)  # its prices are not those of the maker
        for name in _shorter(model):
            entry = _map().get(name)
            if entry is not None and _FIELDS["input"] in entry:
                return _price(entry), True
        return self._unknown(model, allow_unknown)

    def of_model(self, text: str, name: str, allow_unknown: bool = False) -> tuple[Price, bool]:
        """As `of`, for a model that a user wrote as `text` and that is billed as `name`.

        A script or a replay has no name. It costs nothing, unless `own` has a price for `script` or `replay`.
        """
        return self.of(name, allow_unknown) if name else self.of(text.partition(":")[0], True)

    def _unknown(self, model: str, allow_unknown: bool) -> tuple[Price, bool]:
        if allow_unknown:
            return FREE, False
        names = [*self._own, *(name for name, entry in _map().items() if _FIELDS["input"] in entry)]
        close = difflib.get_close_matches(model, names, 3) or difflib.get_close_matches(
            model.rpartition("/")[2], names, 3
        )
        hint = f"; near it: {', '.join(close)}" if close else ""
        raise UnknownPrice(
            f"no price is known for model {model!r}{hint}; give one with --prices FILE, "
            "or allow it with --allow-unknown-price"
        )


def load_prices(file: Path | None = None) -> Prices:
    """LiteLLM's prices, overridden by those of a TOML file.

    `[prices."NAME"]` holds `input`, `output` and, where they differ from input, `cached` and `written`:
    USD per MILLION tokens. Raises ValueError with one line that names file and field.
    """
    if file is None:
        return Prices()
    table = read_terms(file, "prices")
    return Prices({name: _own_price(f"{file}: prices.{name}", row) for name, row in table.items()})


def _own_price(where: str, row: Any) -> Price:
    if not isinstance(row, dict) or not {"input", "output"} <= row.keys() <= _FIELDS.keys():
        raise ValueError(f"{where}: needs input and output, and may have cached and written")
    for field, value in row.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            raise ValueError(f"{where}.{field}: {value!r} is no price in USD per million tokens")
    return Price(**{field: value / MILLION for field, value in row.items()})


def _shorter(model: str) -> list[str]:
    parts = model.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def _price(entry: Mapping[str, Any], suffix: str = "") -> Price:
    told = {field: entry.get(f"{name}{suffix}", entry.get(name)) for field, name in _FIELDS.items()}
    above = None
    if not suffix:
        for word, tokens in _STEPS:
            if f"{_FIELDS['input']}_above_{word}_tokens" in entry:
                above = (tokens, _price(entry, f"_above_{word}_tokens"))
                break
    output = told["output"] or 0.0
    return Price(told["input"] or 0.0, output, told["cached"], told["written"], above)


@functools.cache
def _map() -> dict[str, dict[str, Any]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        raise UnknownPrice("LiteLLM, whose package holds the prices, is not installed")
    entries: dict[str, Any] = json.loads((Path(spec.origin).parent / MAP).read_bytes())
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict)}
