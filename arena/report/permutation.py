"""The sign-flip permutation test over tasks (Fisher 1935): if two sides are alike, they can be swapped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from arena.report.statistics import SEED

FLIPS = 10_000
# Steps of the exact count: numbers of tasks times the largest sum of their differences.
MAX_EXACT = 1_000_000


def sign_flip(differences: Iterable[int], flips: int = FLIPS, seed: int = SEED) -> float:
    """Two-sided p that the sum of the tasks' differences is as far from 0 as it is.

    Each task's difference is as likely to have either sign when the sides are alike, whatever the attempts
    of a task have in common. All signs are counted where that is quick, else `flips` seeded draws are
    used, and p is (1 + as far) / (1 + flips) (Phipson and Smyth 2010). Without replicates it is the exact p
    of McNemar's test.
    """
    # A difference of 0 is the same under either sign.
    sizes = [d for d in differences if d]
    observed, max_sum = abs(sum(sizes)), sum(abs(d) for d in sizes)
    if len(sizes) * max_sum <= MAX_EXACT:
        return _exact_p([abs(d) for d in sizes], observed)
    return _sampled_p(Counter(abs(d) for d in sizes), observed, flips, seed)


def _exact_p(sizes: list[int], observed: int) -> float:
    """The share of all assignments of signs whose sum is at least as far from 0 as the observed sum."""
    # Sum -> how many assignments of signs lead to it; far fewer sums than assignments.
    ways = {0: 1}
    for size in sizes:
        after: Counter[int] = Counter()
        for total, count in ways.items():
            after[total + size] += count
            after[total - size] += count
        ways = after
    far = sum(count for total, count in ways.items() if abs(total) >= observed)
    return far / (1 << len(sizes))


def _sampled_p(sizes: Counter[int], observed: int, flips: int, seed: int) -> float:
    random = Random(seed)  # noqa: S311 - draws to be repeated, no secrets
    far = 0
    for _ in range(flips):
        total = sum(
            # Tasks of one size are drawn together: each set bit is a plus.
            size * (2 * random.getrandbits(count).bit_count() - count)
            for size, count in sizes.items()
        )
        far += abs(total) >= observed
    return (1 + far) / (1 + flips)
