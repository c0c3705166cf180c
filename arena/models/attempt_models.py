"""The models of a run: a single gateway for all its attempts, and for each a model and an account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.lazy import Lazy
from arena.models.provenance import planned_provenance
from arena.protocols import Setup
from arena.store.provenance import Provenance
from arena.store.records import find_attempts, record_of
from arena.store.store import AttemptKey, Store
from harness.gateway.access import ModelAccess
from harness.gateway.gateway import Gateway
from harness.gateway.limits import load_limits
from harness.gateway.models import LanguageModel
from harness.gateway.models._make import expect_model, make_model
from harness.gateway.pins import load_takes, split_effort, with_effort
from harness.gateway.price import Price
from harness.gateway.prices import load_prices
from harness.grade.ports import ResultCache
from harness.protocols import Charge

REPLAY = "replay:"


@dataclass(frozen=True)
class ModelOptions:
    """The user's settings for the models of a run. prices: a file of the user's prices and limits.

    alias: agents get a neutral name of the model, not its real name. key_needed: False for a plan.
    """

    api_base: str = ""
    prices: Path | None = None
    allow_unknown_price: bool = False
    pinned: Mapping[str, Any] = field(default_factory=dict)
    alias: bool = False
    key_needed: bool = True


class Models:
    """Opens the gateway when it is first used; `close` ends it. Safe to use from several threads."""

    def __init__(self, store: Store | None, options: ModelOptions) -> None:
        """store: where records for `replay:RUN` are; without it only files with a record can be replayed."""
        self._store, self._options = store, options
        self._gateway: Lazy[Gateway] = Lazy(self._open_gateway)

    def access(self, key: AttemptKey, charge: Charge | None = None) -> ModelAccess:
        """The attempt's model. charge: called for each call. Raises ValueError for an unusable model."""
        text, pinned = with_effort(key.model, self._options.pinned)
        model = self._model(key, text)
        price = self._price(text, model)
        takes = load_takes(self._options.prices)
        return ModelAccess(
            self._gateway.get(), model, price, pinned, charge, takes, self._options.alias
        )

    def provenance(self, key: AttemptKey) -> Provenance:
        """The prices and the effort of the attempt's model."""
        return planned_provenance(key, self._options.prices, self._options.pinned)

    def expect(self, model: str) -> None:
        """Raise ValueError, UnknownRun or UnknownPrice if `model` cannot be used for an attempt."""
        model, _ = split_effort(model)
        name = model.removeprefix(REPLAY)
        if name == model:
            options = self._options
            expect_model(
                *(model, options.api_base, load_prices(options.prices)),
                *(options.allow_unknown_price, options.key_needed),
            )
        elif not Path(name).is_file():
            find_attempts(self._records(model), name)

    def close(self) -> None:
        self._gateway.close()

    @contextmanager
    def _open_gateway(self) -> Iterator[Gateway]:
        with Gateway(load_limits(self._options.prices)) as gateway:
            yield gateway

    def _price(self, text: str, model: LanguageModel) -> Price:
        prices = load_prices(self._options.prices)
        return prices.look_up_model_price(text, model.name, self._options.allow_unknown_price)[0]

    def _model(self, key: AttemptKey, text: str) -> LanguageModel:
        if not text.startswith(REPLAY):
            return make_model(text, self._options.api_base)
        name = text.removeprefix(REPLAY)
        path = name if Path(name).is_file() else record_of(self._records(text), name, key)
        return make_model(f"{REPLAY}{path}")

    def _records(self, model: str) -> Store:
        if self._store is None:
            raise ValueError(f"{model}: no store with records here; replays need the local engine")
        return self._store


def models_for(setup: Setup, cache: ResultCache, pinned: Mapping[str, Any]) -> Models:
    """The models by the settings of a setup; records to be replayed are in the cache, if it is a store."""
    prices = Path(setup.prices) if setup.prices else None
    options = ModelOptions(
        *(setup.api_base, prices, setup.allow_unknown_price, pinned, setup.alias),
        key_needed=not setup.is_plan,
    )
    return Models(cache if isinstance(cache, Store) else None, options)
