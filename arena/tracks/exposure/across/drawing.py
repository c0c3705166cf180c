"""Intervals where a wording has few samples, as attempts of agents are.

A bootstrap draws only from the sample: a single vulnerable sample would always come again, and an interval
of no width would claim to be sure. So P of each wording is drawn from Jeffreys' distribution, the Beta of
v + 1/2 and n - v + 1/2 (Brown, Cai and DasGupta, 2001), and the bounds are widened to hold the score itself.
Wordings are as they are, and not drawn: nobody chose them by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.report.statistics import DRAWS, SEED, Interval, bounds
from arena.tracks.exposure.assessment import ScoreInputs
from arena.tracks.exposure.intervals import ScenarioShares, Scores, log_means, score

if TYPE_CHECKING:
    from arena.report.statistics import Drawn

# Of each wording, for an interval of ME that keeps the tasks.
FEWEST_SAMPLES = 5


def scores_of(
    tasks: Mapping[str, ScenarioShares], inputs: ScoreInputs, draws: int = DRAWS, seed: int = SEED
) -> Scores:
    """PE of all tasks and ME, each with its 95 % interval. Raises ValueError naming the task.

    The interval of ME draws tasks with replacement, as the track's does. That of these tasks alone rests on
    samples of each wording drawn anew: it has no bounds where a wording has less than FEWEST_SAMPLES.
    """
    result = score(tasks, inputs.base, inputs.mu, inputs.k, draws, seed)
    pe = {}
    for name, task in tasks.items():
        pe[name] = _widen_interval(
            result.pe[name], _draw_pe(task, inputs, draws, (seed, *name.encode()))
        )
    few = any(w.valid < FEWEST_SAMPLES for task in tasks.values() for w in task.wordings)
    pack_me = result.me_of_pack
    return replace(
        result, pe=pe, me_of_pack=Interval(pack_me.value, None, None, pack_me.n) if few else pack_me
    )


def _widen_interval(exact: Interval, drawn: Drawn) -> Interval:
    low, high = bounds(drawn)
    if low is None or high is None or exact.value is None:
        return Interval(exact.value, None, None, exact.n)
    return Interval(exact.value, min(low, exact.value), max(high, exact.value), exact.n)


def _draw_pe(task: ScenarioShares, inputs: ScoreInputs, draws: int, seed: Sequence[int]) -> Drawn:
    """PE of each draw; none where nothing was valid. P is 0 by definition of a wording without any."""
    import numpy as np

    each = task.wordings
    valid = np.asarray([item.valid for item in each])
    vulnerable = np.asarray([item.vulnerable for item in each])
    # Nothing was seen: not even a distribution of P is known.
    if not valid.any():
        return np.empty(0)
    size = (draws, len(each))
    drawn = np.random.default_rng(seed).beta(vulnerable + 0.5, valid - vulnerable + 0.5, size=size)
    severities = np.asarray([task.cvss if item.cvss is None else item.cvss for item in each])
    weights = np.asarray([item.weight(inputs.mu, inputs.k) for item in each])
    return log_means(severities, np.where(valid > 0, drawn, 0.0) * weights, inputs.base)
