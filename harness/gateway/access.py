"""An attempt's access to a model: accounts at the gateway, with a price and pinned parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.protocols import Budget, Charge

if TYPE_CHECKING:
    from harness.gateway.account import Recorder
    from harness.gateway.gateway import Gateway, OpenAccount
    from harness.gateway.models import LanguageModel
    from harness.gateway.models.replay import ReplayDiverged
    from harness.gateway.pins import Takes
    from harness.gateway.price import Price


@dataclass(frozen=True)
class ModelAccess:
    """charge: called for each call; takes: the user's table of what models take; alias: agents do not learn
    the model's name.

    Implements `harness.protocols.Access`.
    """

    gateway: Gateway
    model: LanguageModel
    price: Price
    pinned: Mapping[str, Any]
    charge: Charge | None = None
    takes: Takes = field(default_factory=dict)
    alias: bool = False

    def open(self, budget: Budget, recorder: Recorder | None = None) -> OpenAccount:
        """An account within `budget`, with the folder of its socket; close it."""
        return self.gateway.open(
            self.model,
            budget,
            pinned=self.pinned,
            recorder=recorder,
            price=self.price,
            charge=self.charge,
            takes=self.takes,
        )

    @property
    def base_model_name(self) -> str:
        """The model's name as its maker gives it, for agents that behave by it; "" for an alias."""
        recorded: str = getattr(self.model, "recorded_name", "")  # only replays have it
        return "" if self.alias else recorded or self.model.name.rpartition("/")[2]

    @property
    def first_divergence(self) -> ReplayDiverged | None:
        """The first request of a replay that differs from the record."""
        return getattr(self.model, "diverged", None)  # only replays have it
