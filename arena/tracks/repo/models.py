"""The models of a run: one gateway for all its attempts, a model and an account for each."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.store.records import record_of, recorded
from arena.store.store import AttemptKey, Store
from harness.agents._sealed import Means
from harness.gateway.gateway import Gateway
from harness.gateway.limits import load_limits
from harness.gateway.models import Model
from harness.gateway.models._make import make_model
from harness.gateway.prices import Price, load_prices
from harness.toolbox import Toolboxes, default_folder

REPLAY = "replay:"


@dataclass(frozen=True)
class ModelOptions:
    """What a user says about the models of a run; `prices` is a file of own prices and limits."""

    api_base: str = ""
    prices: Path | None = None
    allow_unknown_price: bool = False
    pinned: Mapping[str, Any] = field(default_factory=dict)


class Models:
    """Opens the gateway when it is first used; `close` ends it. Safe to use from several threads."""

    def __init__(self, store: Store, options: ModelOptions) -> None:
        self._store, self._options = store, options
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._gateway: Gateway | None = None

    @cached_property
    def toolboxes(self) -> Toolboxes:
        return Toolboxes(default_folder())

    def means(self, key: AttemptKey) -> Means:
        """What the attempt's agent needs. Raises ValueError for a model that cannot be."""
        model = self._model(key)
        price = self._price(key.model, model)
        return Means(self._running(), self.toolboxes, model, price, self._options.pinned)

    def expect(self, model: str) -> None:
        """Raise ValueError, UnknownRun or UnknownPrice when no attempt could be made with `model`."""
        name = model.removeprefix(REPLAY)
        if name == model:
            self._price(model, make_model(model, self._options.api_base))
        elif not Path(name).is_file():
            recorded(self._store, name)

    def close(self) -> None:
        with self._lock:
            self._open.close()
            self._gateway = None

    def _running(self) -> Gateway:
        with self._lock:
            if self._gateway is None:
                self._gateway = self._open.enter_context(Gateway(load_limits(self._options.prices)))
            return self._gateway

    def _price(self, text: str, model: Model) -> Price:
        prices = load_prices(self._options.prices)
        return prices.of_model(text, model.name, self._options.allow_unknown_price)[0]

    def _model(self, key: AttemptKey) -> Model:
        if not key.model.startswith(REPLAY):
            return make_model(key.model, self._options.api_base)
        path = record_of(self._store, key.model.removeprefix(REPLAY), key)
        return make_model(f"{REPLAY}{path}")
