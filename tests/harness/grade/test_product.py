"""Whether what ships is what is attacked: sources that a patch makes differ, and those that differ anyway."""

from __future__ import annotations

import pytest

from harness.grade.decide import Cause, Decided, judge_comparison
from harness.grade.product import Differences, newly_different

SAME = Differences(frozenset(), 3)
SPLIT = Differences(frozenset({"src/a.c"}), 3)
NOTHING_COMPARED = Differences(frozenset(), 0)


@pytest.mark.parametrize(
    ("before", "after", "sources"),
    [
        (SAME, SPLIT, ["src/a.c"]),
        (SAME, SAME, []),
        (SPLIT, SPLIT, []),  # a variant that is meant to differ, with NDEBUG
        (NOTHING_COMPARED, SPLIT, []),
    ],
)
def test_only_a_variant_that_was_the_product_tells(
    before: Differences, after: Differences, sources: list[str]
) -> None:
    assert newly_different([SAME, before], [SAME, after]) == sources


def test_a_source_that_differs_is_correct_but_vulnerable() -> None:
    judge_comparison([])
    with pytest.raises(Decided, match=r"compiles src/a\.c otherwise") as decided:
        judge_comparison(["src/a.c"])
    assert decided.value.cause is Cause.DIFFERS_FROM_TESTED
