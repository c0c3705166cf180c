"""Prices by the model's name: those of LiteLLM's table, which a TOML file can override."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.gateway._terms import read_terms
from harness.gateway.price import FREE, UNKNOWN, Price
from harness.gateway.price_table import is_priced, load_table, price_of, table_facts

MILLION = 1_000_000
USERS_FILE = "the user's file"
# What a file of one's own may tell of a model, in USD per million tokens.
USER_FIELDS = ("input", "output", "cached", "written", "written_hour", "reasoning")


class UnknownPrice(ValueError):
    """A model has no price on record; the message is a line that says what to do."""


class Prices:
    """Prices by the model's name. Those of the user override LiteLLM's."""

    def __init__(self, users_prices: Mapping[str, Price] | None = None) -> None:
        self._users_prices = dict(users_prices or {})

    def look_up_price(self, model: str, allow_unknown: bool = False) -> tuple[Price, bool]:
        """The price of a model, and whether there is any. The empty name costs nothing.

        A name is looked up as it is, then without its leading parts (`openrouter/a/b`, `a/b`, `b`).
        Raises UnknownPrice unless `allow_unknown`, which gives (UNKNOWN, False).
        """
        if not model:
            return FREE, True
        for name in shorter_names(model):
            if name in self._users_prices:
                return replace(self._users_prices[name], source=USERS_FILE), True
        table = _table()
        if model.partition("/")[0] == "openrouter" and model not in table:
            return self._unknown(model, allow_unknown)  # its prices are not those of the maker
        for name in shorter_names(model):
            entry = table.get(name)
            if entry is not None and is_priced(entry):
                return replace(price_of(entry), source=str(table_facts())), True
        return self._unknown(model, allow_unknown)

    def look_up_model_price(
        self, text: str, name: str, allow_unknown: bool = False
    ) -> tuple[Price, bool]:
        """As `look_up_price`, for a model that a user wrote as `text` and that is billed as `name`.

        A script or a replay has no name. It costs nothing, unless the user has a price for this file
        (`script:FILE`), or for all (`script`, `replay`).
        """
        if name:
            return self.look_up_price(name, allow_unknown)
        kind, colon, argument = text.partition(":")
        for key in (text, f"{kind}:{Path(argument).resolve()}") if colon else ():
            if key in self._users_prices:
                return replace(self._users_prices[key], source=USERS_FILE), True
        price, is_exact = self.look_up_price(kind, True)
        return (price, True) if is_exact else (FREE, False)

    def find_unused(self, models: Iterable[str]) -> list[str]:
        """Names with a price in the user's file that neither a model of `models` nor the table has."""
        used = set()
        for model in models:
            kind, colon, argument = model.partition(":")
            used |= {kind, model, f"{kind}:{Path(argument).resolve()}"} if colon else set()
            used |= set(shorter_names(model))
        return [name for name in self._users_prices if name not in used and name not in _table()]

    def _unknown(self, model: str, allow_unknown: bool) -> tuple[Price, bool]:
        if allow_unknown:
            return UNKNOWN, False
        priced = {name: entry for name, entry in _table().items() if is_priced(entry)}
        provider, names = model.partition("/")[0], [*self._users_prices, *priced]
        same_provider = [
            f"{provider}/{name.removeprefix(f'{provider}/')}"
            for name, entry in priced.items()
            if entry.get("litellm_provider") == provider
        ]
        tries = ((model, same_provider), (model, names), (model.rpartition("/")[2], names))
        matches = (difflib.get_close_matches(word, candidates, 3) for word, candidates in tries)
        close = next(filter(None, matches), [])
        hint = f"; near it: {', '.join(close)}" if close else ""
        raise UnknownPrice(
            f"no price is known for model {model!r}{hint}; give one with --prices FILE, "
            "or allow it with --allow-unknown-price"
        )


def load_prices(file: Path | None = None) -> Prices:
    """LiteLLM's prices, overridden by those of a TOML file.

    `[prices."NAME"]` holds `input`, `output` and, where they differ, `cached`, `written`, `written_hour` and
    `reasoning`: USD per MILLION tokens. A file in a name (`script:cheap.toml`) is looked for beside the TOML
    file. Raises ValueError with a line that names file and field.
    """
    if file is None:
        return Prices()
    table = read_terms(file, "prices")
    return Prices(
        {
            _with_absolute_path(name, file.parent): _parse_price(f"{file}: prices.{name}", row)
            for name, row in table.items()
        }
    )


def _with_absolute_path(name: str, folder: Path) -> str:
    """`script:FILE` with the path of a file in `folder`; each name without such a file as it is."""
    kind, colon, argument = name.partition(":")
    beside = folder / argument
    return f"{kind}:{beside.resolve()}" if colon and argument and beside.is_file() else name


def _parse_price(where: str, row: Any) -> Price:
    if not isinstance(row, dict) or not {"input", "output"} <= row.keys() <= set(USER_FIELDS):
        others = ", ".join(USER_FIELDS[2:])
        raise ValueError(f"{where}: needs input and output, and may have {others}")
    for field, value in row.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            raise ValueError(f"{where}.{field}: {value!r} is no price in USD per million tokens")
    return Price(**{field: value / MILLION for field, value in row.items()})


def shorter_names(model: str) -> list[str]:
    """A model's name as it is, then without its leading parts: `openrouter/a/b`, `a/b`, `b`."""
    parts = model.split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]


def _table() -> Mapping[str, Mapping[str, Any]]:
    try:
        return load_table()
    except FileNotFoundError as error:
        raise UnknownPrice(str(error)) from error
