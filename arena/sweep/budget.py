"""A sweep's budgets: what it may spend, and what it has reserved for attempts in progress.

An attempt starts only if its cap fits into what is left of every budget that applies to it, so
that a budget is never exceeded by more than the last call of an attempt.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from arena.store.model import Spent
from harness.protocols import Budget

# The name for every model that is not listed.
OTHERS = "*"


@dataclass(frozen=True)
class Cap:
    """USD, tokens and seconds of wall time; None means no cap."""

    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Bounds:
    """Budgets of the sweep and of each model (`seconds`: sweep only), and concurrent attempts per model.

    connections: by model; "*" for each that is not named. A model without an entry has no limit.
    """

    sweep: Cap = field(default_factory=Cap)
    models: Mapping[str, Cap] = field(default_factory=dict)
    connections: Mapping[str, int] = field(default_factory=dict)


class BudgetTracker:
    """Spent and reserved amounts of a sweep. Not thread-safe: only the driver's thread uses it."""

    def __init__(
        self,
        bounds: Bounds,
        caps: Budget,
        spent: Mapping[str, Spent],
        free: frozenset[str] = frozenset(),
    ) -> None:
        """spent: by model, of earlier drivers of the same run. free: models that cost no money."""
        self._bounds, self._caps = bounds, caps
        # What earlier drivers spent counts: a restart is no new budget.
        self._spent: defaultdict[str, Spent] = defaultdict(Spent, spent)
        self._asking: Counter[str] = Counter()
        self._free = free

    def may_connect(self, model: str, usual: int | None = None) -> bool:
        """Whether a further attempt may use the model now; `usual` is the limit if none is set."""
        limit = self._bounds.connections.get(model, self._bounds.connections.get(OTHERS, usual))
        return not model or limit is None or self._asking[model] < limit

    def short(self, model: str) -> str:
        """A message naming the budget that a further attempt would exceed now; "" for none."""
        if not model:
            return ""
        sweep = self._bounds.sweep
        model_cap = self._bounds.models.get(model, self._bounds.models.get(OTHERS, Cap()))
        for cap, whose, models in ((sweep, "sweep", None), (model_cap, model, {model})):
            spent, asking = self._sums(models)
            if cap.usd is not None and model not in self._free:
                # Attempts of free models reserve no money, or they would hold up paid ones.
                dear = sum(n for name, n in asking.items() if name not in self._free)
                # Sums of floats: without the slack a budget of exactly n caps could refuse the n-th attempt.
                if spent.usd + (dear + 1) * self._caps.usd > cap.usd + 1e-9:
                    return (
                        f"{whose}: {spent.usd:.4f} of {cap.usd:g} USD are spent, and an attempt may use "
                        f"{self._caps.usd:g}"
                    )
            if cap.tokens is not None:
                promised = (asking.total() + 1) * (self._caps.tokens or 0)
                # Without a cap per attempt nothing is promised, so what is spent must end it.
                if spent.tokens + promised > cap.tokens or spent.tokens >= cap.tokens:
                    return (
                        f"{whose}: {spent.tokens} of {cap.tokens} tokens are spent, and an attempt may use "
                        f"{self._caps.tokens or 'any number'}"
                    )
        return ""

    def _sums(self, models: set[str] | None) -> tuple[Spent, Counter[str]]:
        chosen = set(self._spent) | set(self._asking) if models is None else models
        spent = sum((self._spent[name] for name in chosen if name in self._spent), Spent())
        return spent, Counter({name: self._asking[name] for name in chosen})

    def take(self, model: str) -> None:
        """Reserve the worst case of an attempt that starts."""
        if model:
            self._asking[model] += 1

    def give(self, model: str, spent: Spent) -> None:
        """Release the reservation of an attempt that ended, and add its cost."""
        if model:
            self._asking[model] -= 1
            self._spent[model] += spent

    @property
    def idle(self) -> bool:
        """Whether no attempt uses a model: what is left of the budgets will not change."""
        return not self._asking.total()

    @property
    def spent(self) -> Spent:
        return sum(self._spent.values(), Spent())

    def costs_by_model(self) -> Iterator[tuple[str, Spent]]:
        yield from sorted(self._spent.items())
