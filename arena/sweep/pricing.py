"""Prices of models, as far as they are certain in advance."""

from __future__ import annotations

from pathlib import Path

from arena.protocols import Setup
from harness.gateway.price import FREE
from harness.gateway.prices import load_prices
from harness.user_names import strip_name
from parsers import registry

MODELS = "harness.gateway.models"


def is_free(model: str, setup: Setup) -> bool:
    """Whether no call of a model costs money by the prices of the setup. "" is no model, and free.

    A model without a price is not free: a provider may report what it billed, which counts for budgets.
    Raises UnknownPrice (a ValueError).
    """
    model = strip_name(model)
    kind, colon, _ = model.partition(":")
    unnamed = bool(colon) and kind in registry.names(MODELS)  # script:..., replay:...
    prices = load_prices(Path(setup.prices) if setup.prices else None)
    name = "" if unnamed else model
    price, _ = prices.look_up_model_price(model, name, setup.allow_unknown_price)
    return price == FREE and price.is_known
