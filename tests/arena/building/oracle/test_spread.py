"""Which inputs of a campaign are kept, and what its mutators make."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena.building.oracle.mutators import LONGEST, MAX_GROWN, MUTATORS, grow, insert_run
from arena.building.oracle.spread import MAX_CHOSEN, choose_far_apart, choose_in_turns

POC = b"include 1\n[a]\n[b]\n[c]"


def test_no_part_of_the_poc_is_the_same_in_all_that_are_kept() -> None:
    """A hundred inputs that change the end only must not crowd out the few that change the beginning."""
    ends = {POC + bytes([n]): "append" for n in range(200)}
    starts = {POC[:i] + b"?" + POC[i + 1 :]: "one_byte" for i in range(len(POC))}
    kept = choose_far_apart(POC, {**starts, **ends})
    assert len(kept) == len(set(kept)) == MAX_CHOSEN
    for i, byte in enumerate(POC):
        assert any(data[i] != byte for data in kept if len(data) > i), i


def test_the_largest_are_kept() -> None:
    made = {POC + b"x" * n: "grow" for n in (1, 5000, 2, 9000, 3)} | {
        POC[:i] + b"?" + POC[i + 1 :]: "one_byte" for i in range(len(POC))
    }
    assert {5000, 9000} <= {len(data) - len(POC) for data in choose_far_apart(POC, made)[:8]}


def test_every_kind_has_its_turn() -> None:
    made = {bytes([n]): "common" for n in range(250)} | {b"rare": "rare"}
    assert b"rare" in choose_in_turns(made)
    assert b"rare" in choose_far_apart(POC, made)


def test_nothing_is_kept_of_nothing() -> None:
    assert choose_far_apart(POC, {}) == choose_in_turns({}) == []


@given(st.binary(min_size=1, max_size=300), st.sampled_from(MUTATORS), st.integers(0, 10**6))
def test_a_mutator_takes_any_input_and_makes_little_more_of_it(
    data: bytes, mutator: object, seed: int
) -> None:
    made = mutator(data, Random(seed))  # type: ignore[operator]
    assert len(made) <= len(data) + (MAX_GROWN if mutator in (grow, insert_run) else LONGEST)
    assert made == mutator(data, Random(seed))  # type: ignore[operator]
