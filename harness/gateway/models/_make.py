"""From what a user wrote (`script:FILE`, `replay:FILE`, `PROVIDER/NAME`) to a model."""

from __future__ import annotations

from harness.gateway.models import LanguageModel
from harness.gateway.models.direct import PROVIDERS
from parsers import registry

PACKAGE = "harness.gateway.models"
ANY = "litellm"


def make_model(text: str, api_base: str = "") -> LanguageModel:
    """A model for one attempt. `api_base` is the address of an endpoint of one's own.

    Raises UnknownName, or ValueError with one line (no such file, no key, no such provider).
    """
    kind, colon, argument = text.partition(":")
    known = registry.names(PACKAGE)
    if not colon or kind not in known:
        kind, argument = ANY, text
        provider, slash, name = text.partition("/")
        if not (slash and provider and name):
            kinds = ", ".join(f"{one}:..." for one in known if one != ANY)
            raise ValueError(f"--model: {text[:200]!r} is neither PROVIDER/NAME nor {kinds}")
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
