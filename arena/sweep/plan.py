"""The plan of a sweep: attempts, those already done, maximum cost, images and disk space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from arena.report.power import least_difference
from arena.store.model import OPEN, Spent, attempt_id
from arena.store.store import Store, UnknownRun
from arena.sweep.budget import OTHERS, Cap
from arena.sweep.choice import Choice
from arena.sweep.disk import ImageNeed
from arena.sweep.file import Sweep
from arena.sweep.pricing import is_free

WITHDRAWN = "are not in the file any more: withdrawn, in no rate"


@dataclass(frozen=True)
class Standing:
    """The progress of a choice's attempts in a store. done: by model; labels: of these.

    missing: how many are not in the store yet; gone: attempts of the run that the choice has not.
    spent: by model, of all.
    """

    run: str
    done: Mapping[str, int]
    labels: Mapping[str, int]
    missing: int
    gone: int
    spent: Mapping[str, Spent]


@dataclass(frozen=True)
class ModelShare:
    """The attempts of a model ("" for none). max_usd: the maximum cost of the open attempts."""

    attempts: int
    open: int
    max_usd: float


@dataclass(frozen=True)
class Expected:
    """Expected costs, from ended attempts of the same agent and model in any run of the store.

    usd: for the open attempts; replicate_usd: for a further replicate of all; of: the number of ended
    attempts behind it; unknown: attempts of agents and models without any ended attempt.
    """

    usd: float
    replicate_usd: float
    of: int
    unknown: int


NOTHING_KNOWN = Expected(0.0, 0.0, 0, 0)


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
    expected: Expected = NOTHING_KNOWN
    replicates: int = 1

    @property
    def sees(self) -> float | None:
        """The least difference of two columns that it sees with 80 % power."""
        return least_difference(self.tasks, self.replicates)

    @property
    def sees_with_one_more(self) -> float | None:
        return least_difference(self.tasks, self.replicates + 1)

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
            "expected": vars(self.expected),
            "replicates": self.replicates,
            "sees": self.sees,
            "sees_with_one_more_replicate": self.sees_with_one_more,
        }


def standing(store: Store, choice: Choice) -> Standing:
    """The part of a run that the store already has, of the wanted attempts; empty for a new run."""
    run, wanted_ids = choice.run, choice.ids
    try:
        spent = store.counts(run).by_model
    except UnknownRun:
        return Standing(run, {}, {}, len(wanted_ids), 0, {})
    done, labels = Counter[str](), Counter[str]()
    inside = withdrawn = 0
    for attempt, model, health, label in store.states(run):
        if attempt in wanted_ids:
            inside += 1
            done[model] += health not in OPEN
            if label is not None:
                labels[label] += 1
        else:
            withdrawn += 1
    return Standing(run, done, labels, len(wanted_ids) - inside, withdrawn, spent)


def expect_costs(store: Store, choice: Choice) -> Expected:
    """Expected costs from ended attempts of the same agents and models, those that cost nothing included."""
    paid: dict[tuple[str, str], list[float]] = {}
    done = set()
    for row in store.rows(()):
        if row.health not in OPEN:
            paid.setdefault((row.agent, row.model), []).append(row.usd)
            done.add(row.id)
    columns = {(key.agent, key.model) for key in choice.keys}
    mean = {who: fmean(usd) for who, usd in paid.items() if who in columns}
    pairs = [((key.agent, key.model), attempt_id(choice.run, key)) for key in choice.keys]
    replicates = replicates_of(choice)
    return Expected(
        usd=round(sum(mean.get(who, 0.0) for who, id_ in pairs if id_ not in done), 4),
        replicate_usd=round(sum(mean.get(who, 0.0) for who, _ in pairs) / replicates, 4),
        of=sum(len(paid[who]) for who in mean),
        unknown=sum(bool(who[1]) and who not in mean for who, _ in pairs),
    )


def replicates_of(choice: Choice) -> int:
    return max((key.replicate for key in choice.keys), default=0) + 1


def make_plan(
    sweep: Sweep,
    choice: Choice,
    stood: Standing,
    images: Collection[ImageNeed] = (),
    costs: Expected = NOTHING_KNOWN,
) -> Plan:
    """The plan of a sweep. Raises ValueError for a model without a price."""
    shares = {}
    for model, count in Counter(key.model for key in choice.keys).items():
        open_count = count - stood.done.get(model, 0)
        free = is_free(model, sweep.setup)
        shares[model] = ModelShare(
            count, open_count, 0.0 if free else open_count * sweep.setup.caps.usd
        )
    usd, bound_by = _spendable_usd(
        sweep, {name: share.max_usd for name, share in shares.items()}, stood
    )
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
        costs,
        replicates_of(choice),
    )


def _spendable_usd(sweep: Sweep, usd: Mapping[str, float], stood: Standing) -> tuple[float, str]:
    """USD that may still be spent: the caps of open attempts, or what is left of budgets if that is less.

    An attempt begins only while its cap fits into what is left of every budget (`budget.BudgetTracker`).
    """
    caps, bounds = sum(usd.values()), sweep.bounds
    if not caps:
        return 0.0, ""
    usd_by_model = {
        model: min(
            max_usd,
            _remaining_usd(bounds.models.get(model, bounds.models.get(OTHERS, Cap())), spent),
        )
        for model, max_usd in usd.items()
        for spent in [stood.spent.get(model, Spent()).usd]
    }
    models = sum(usd_by_model.values())
    sweep_usd = _remaining_usd(bounds.sweep, sum(spent.usd for spent in stood.spent.values()))
    least = min(caps, models, sweep_usd)
    bound = "caps" if least == caps else "budget.models" if least == models else "budget"
    return round(least, 6), bound


def _remaining_usd(cap: Cap, spent: float) -> float:
    return float("inf") if cap.usd is None else max(0.0, cap.usd - spent)
