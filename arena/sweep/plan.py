"""What a sweep would do: attempts, those already done, maximum cost, images and disk space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from arena.store.model import OPEN, Spent
from arena.store.store import Store, UnknownRun
from arena.sweep.budget import OTHERS, Cap
from arena.sweep.choice import Choice
from arena.sweep.disk import ImageNeed
from arena.sweep.file import Sweep
from arena.sweep.pricing import is_free


@dataclass(frozen=True)
class Standing:
    """How far the attempts of a choice are in a store. done: by model; labels: of these.

    missing: how many are not in the store yet; gone: attempts of the run that the choice has not;
    gone_labels: of these. spent: by model, of all.
    """

    run: str
    done: Mapping[str, int]
    labels: Mapping[str, int]
    missing: int
    gone: int
    gone_labels: Mapping[str, int]
    spent: Mapping[str, Spent]


@dataclass(frozen=True)
class ModelShare:
    """The attempts of one model ("" for none). max_usd: the maximum cost of the open ones."""

    attempts: int
    open: int
    max_usd: float


@dataclass(frozen=True)
class Plan:
    """The output of `arena sweep plan`. bound_by: "" (all free), "caps", "budget.models" or "budget"."""

    run: str
    attempts: int
    done: int
    tasks: int
    max_usd: float
    bound_by: str
    by_model: Mapping[str, ModelShare]
    images: tuple[ImageNeed, ...]
    gone: int
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "attempts": self.attempts,
            "done": self.done,
            "max_usd": self.max_usd,
            "images": [need.image for need in self.images],
            "disk_bytes": sum(need.bytes for need in self.images),
            "run": self.run,
            "open": self.attempts - self.done,
            "tasks": self.tasks,
            "usd_bound_by": self.bound_by,
            "by_model": {name: vars(share) for name, share in self.by_model.items()},
            "image_needs": [need.to_json() for need in self.images],
            "no_longer_in_file": self.gone,
        }


def standing(store: Store, choice: Choice) -> Standing:
    """What a store has of a run, seen from the attempts that are wanted; nothing for a run that is new."""
    run, wanted = choice.run, choice.ids
    try:
        spent = store.counts(run).by_model
    except UnknownRun:
        return Standing(run, {}, {}, len(wanted), 0, {}, {})
    done, labels, gone_labels = Counter[str](), Counter[str](), Counter[str]()
    inside = gone = 0
    for attempt, model, health, label in store.states(run):
        if attempt in wanted:
            inside += 1
            done[model] += health not in OPEN
            if label is not None:
                labels[label] += 1
        else:
            gone += 1
            if label is not None:
                gone_labels[label] += 1
    return Standing(run, done, labels, len(wanted) - inside, gone, gone_labels, spent)


def make_plan(
    sweep: Sweep, choice: Choice, stood: Standing, images: Collection[ImageNeed] = ()
) -> Plan:
    """The plan of a sweep. Raises ValueError for a model whose price is not known."""
    shares = {}
    for model, count in Counter(key.model for key in choice.keys).items():
        left = count - stood.done.get(model, 0)
        free = is_free(model, sweep.setup)
        shares[model] = ModelShare(count, left, 0.0 if free else left * sweep.setup.caps.usd)
    usd, bound_by = _bounded(sweep, {name: one.max_usd for name, one in shares.items()}, stood)
    return Plan(
        stood.run,
        len(choice.keys),
        sum(stood.done.values()),
        len(choice.tasks),
        usd,
        bound_by,
        shares,
        tuple(images),
        stood.gone,
        choice.warnings,
    )


def _bounded(sweep: Sweep, usd: Mapping[str, float], stood: Standing) -> tuple[float, str]:
    """USD that may still be spent: the caps of open attempts, or what is left of budgets if that is less.

    An attempt begins only while its cap fits into what is left of every budget (`budget.BudgetTracker`).
    """
    caps, bounds = sum(usd.values()), sweep.bounds
    if not caps:
        return 0.0, ""
    own = {
        model: min(most, _left(bounds.models.get(model, bounds.models.get(OTHERS, Cap())), spent))
        for model, most in usd.items()
        for spent in [stood.spent.get(model, Spent()).usd]
    }
    models = sum(own.values())
    whole = _left(bounds.sweep, sum(spent.usd for spent in stood.spent.values()))
    least = min(caps, models, whole)
    bound = "caps" if least == caps else "budget.models" if least == models else "budget"
    return round(least, 6), bound


def _left(cap: Cap, spent: float) -> float:
    return float("inf") if cap.usd is None else max(0.0, cap.usd - spent)
