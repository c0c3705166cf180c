"""From what a user wrote (`script:FILE`, `replay:FILE`, `PROVIDER/NAME`) to a model."""

from __future__ import annotations

from harness.gateway.models import KeyMissing, LanguageModel
from harness.gateway.models.direct import PROVIDERS
from harness.gateway.prices import Prices
from parsers import registry

PACKAGE = "harness.gateway.models"
ANY = "litellm"


def make_model(text: str, api_base: str = "") -> LanguageModel:
    """A model for an attempt. `api_base` is the address of the user's endpoint.

    Raises UnknownName, KeyMissing, or ValueError with a line (no such file, no such provider).
    """
    kind, colon, argument = text.partition(":")
    model_kinds = registry.names(PACKAGE)
    if not colon or kind not in model_kinds:
        kind, argument = ANY, text
        provider, slash, name = text.partition("/")
        if not (slash and provider and name):
            kinds = ", ".join(f"{kind_name}:..." for kind_name in model_kinds if kind_name != ANY)
            raise ValueError(f"--model: {text[:200]!r} is neither PROVIDER/NAME nor {kinds}")
        # Directly where possible: LiteLLM takes seconds to import, and hides a stream's signs of life.
        if provider in PROVIDERS and (api_base or PROVIDERS[provider].address):
            kind = "direct"
    factory = registry.lookup(PACKAGE, kind)
    if kind in ("direct", ANY):
        model: LanguageModel = factory(argument, api_base)
    elif api_base:
        raise ValueError(f"--api-base: {kind}: asks no endpoint")
    else:
        model = factory(argument)
    return model


def expect_model(
    text: str, api_base: str, prices: Prices, allow_unknown_price: bool, key_needed: bool = True
) -> None:
    """Raise what would end each attempt of a model: UnknownName, UnknownPrice, KeyMissing or ValueError.

    A name without a price comes before its key: it may be misspelt, which no key would show.
    """
    try:
        name = make_model(text, api_base).name
    except KeyMissing:
        prices.look_up_price(text, allow_unknown_price)
        if key_needed:
            raise
    else:
        prices.look_up_model_price(text, name, allow_unknown_price)
