"""What answers the calls of an account: its model, what is put into requests, and the recorder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.gateway.account import Account, Recorder
from harness.gateway.changes import Changes
from harness.gateway.upstream import Upstream


@dataclass
class AccountContext:
    """What answers the calls of an account."""

    account: Account
    upstream: Upstream
    pinned: Mapping[str, Any] = field(default_factory=dict)
    recorder: Recorder | None = None
    refusals: int = 0
    changes: Changes = field(default_factory=Changes)
    # Parameters that were put in until the provider refused them -> what it said.
    unpinned: dict[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters to put into requests; None removes a parameter that the model does not take."""
        return {**self.pinned, **dict.fromkeys(self.unpinned)}

    @property
    def model(self) -> str:
        return self.upstream.model.name
