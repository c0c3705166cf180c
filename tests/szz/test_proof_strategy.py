"""Which commits a proof builds, in what order, and what it finds on histories of one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from szz.observation import Observation
from szz.proof.bisect import interval
from szz.proof.lineage import Lineage
from szz.proof.prove import prove
from szz.proof.witness import BuildBudget, Witness
from tests.szz.synthetic import BUG, ELSE, Row, World, flip_at, log2, name, number, row, same


@pytest.mark.parametrize("stated", [None, BUG])
def test_a_right_candidate_costs_three_builds(stated: dict[str, Any] | None) -> None:
    world = flip_at(400, 1000)
    proof = world.prove([1000], [400], stated)
    assert world.asked == [1000, 400, 399]
    assert (proof.vic, proof.pvic, proof.vfc) == (name(400), name(399), name(1000))
    assert (proof.how, proof.confirmed, proof.monotone) == ("b-szz", True, True)
    assert proof.same_signature == ("yes" if stated else "unstated")


def test_a_candidate_that_is_the_fixs_parent_needs_no_stated_signature() -> None:
    assert row("CCXC").prove([3], [2]).same_signature == "yes"


def test_a_stated_signature_that_does_not_fit_is_settled_by_the_fixs_parent() -> None:
    world = row("CCXXXC")
    proof = world.prove([5], [2], ELSE)
    assert world.asked == [5, 2, 4, 1]
    assert (proof.confirmed, proof.how, proof.same_signature) == (True, "b-szz", "yes")
    assert "not the stated one" in proof.notes[0]


def test_a_candidate_with_another_crash_than_the_fixs_parent_is_not_believed() -> None:
    proof = row("CCOCXXC").prove([6], [2], BUG)
    assert (proof.vic, proof.how) == (name(4), "bisect")


@pytest.mark.parametrize("vic", [1, 2, 3, 499, 500, 501, 997, 998, 999])
def test_a_bisect_over_a_thousand_commits_costs_twelve_builds(vic: int) -> None:
    world = flip_at(vic, 1000)
    proof = world.prove([1000])
    assert (proof.vic, proof.how) == (name(vic), "bisect")
    assert len(world.asked) <= 12 and world.asked[:2] == [1000, 999]


@pytest.mark.slow
@pytest.mark.parametrize("vic", [1, 777, 12_345, 19_998])
def test_a_bisect_over_twenty_thousand(vic: int) -> None:
    world = flip_at(vic, 20_000)
    assert world.prove([20_000]).vic == name(vic)
    assert len(world.asked) <= 2 + log2(20_000)


@pytest.mark.parametrize("candidate", [0, 1, 100, 600, 998, 999])
def test_a_wrong_candidate_costs_two_more_and_narrows(candidate: int) -> None:
    world = flip_at(300, 1000)
    proof = world.prove([1000], [candidate], BUG)
    assert (proof.vic, proof.how) == (name(300), "bisect")
    assert len(world.asked) <= 2 + log2(1000) + 2
    if candidate < 300:
        assert min(world.asked) == candidate
    else:
        assert max(set(world.asked) - {1000}) == candidate


def test_a_crash_as_stated_below_the_candidate_spares_the_fixs_parent() -> None:
    world = flip_at(300, 1000)
    world.prove([1000], [600], BUG)
    assert 999 not in world.asked and max(world.asked[3:]) < 599


def test_candidates_are_tried_newest_first() -> None:
    world = flip_at(300, 1000)
    proof = world.prove([1000], [100, 300, 700, 500])
    assert world.asked == [1000, 999, 700, 699, 500, 499, 300, 299]
    assert (proof.vic, proof.how) == (name(300), "candidates")


def test_a_clean_candidate_rules_out_all_older_ones() -> None:
    world = flip_at(300, 1000)
    proof = world.prove([1000], [10, 20, 30, 40, 299])
    assert proof.how == "bisect" and not {10, 20, 30, 40} & set(world.asked)


def test_no_more_candidates_are_tried_than_a_bisect_would_ask() -> None:
    world = flip_at(1, 1000)
    proof = world.prove([1000], range(200, 1000, 5))
    assert proof.vic == name(1) and len(world.asked) <= 2 + 11 + 10


def test_a_parent_that_does_not_build_is_stood_in_for_by_one_before() -> None:
    proof = row("CCXXXBC").prove([6])
    assert proof.vic == name(2) and "stands for it" in proof.notes[0]


def test_a_crash_that_hid_this_one_is_looked_behind() -> None:
    proof = row("CCXXOXXXC").prove([8])
    assert (proof.vic, proof.confirmed) == (name(2), True)


def test_unbuildable_commits_are_stepped_around() -> None:
    proof = row("CCCCCXXXBBBBXXXXXC").prove([17])
    assert proof.vic == name(5)


def test_dead_old_history_costs_hardly_more() -> None:
    world = World(Row(1001), lambda n: "B" if n < 800 else "X" if 900 <= n < 1000 else "C")
    assert world.prove([1000]).vic == name(900) and len(world.asked) <= 14


def test_two_flips_are_told() -> None:
    proof = row("CXXCCCXXC").prove([8], [1])
    assert (proof.vic, proof.confirmed, proof.how) == (name(1), True, "b-szz")
    seen = row("CXXCCCXXC").prove([8], [1], neighbours=True)
    assert seen.monotone
    across = row("CXCXC").prove([4], [1], neighbours=True)
    assert across.confirmed and not across.monotone


def test_neighbours_are_replayed_and_recorded() -> None:
    world = flip_at(5, 10)
    proof = world.prove([10], [5], neighbours=True)
    assert world.asked == [10, 5, 4, 6, 3] and proof.neighbours == (name(6), name(3))
    short = flip_at(5, 10).prove([10], [5], neighbours=True, budget=BuildBudget(4))
    assert short.confirmed and short.neighbours == (name(6),) and "neighbours" in short.notes[0]
    assert row("CXC").prove([2], [1], neighbours=True).neighbours == ()


def test_what_is_known_is_not_built_again_and_ends_alike() -> None:
    whole = flip_at(300, 1000).prove([1000])
    known = {run.commit: run for run in whole.runs[:6]}
    world = flip_at(300, 1000)
    assert world.prove([1000], earlier=known) == whole
    assert len(world.asked) == len(whole.runs) - 6


def test_a_fault_of_the_machine_comes_through() -> None:
    def broken(commit: str) -> Observation:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        prove(Row(3), [name(2)], [], broken, same)


def test_json_and_progress() -> None:
    heard: list[str] = []
    proof = row("CCXXC").prove([4], say=heard.append)
    told = json.loads(json.dumps(proof.to_json()))
    assert {"vic", "pvic", "vfc", "how", "confirmed", "runs", "reason"} <= told.keys()
    assert told["runs"][0]["commit"] == name(4) and told["runs"][1]["crashed"]
    assert len([line for line in heard if line.startswith("revision ")]) == len(proof.runs)


def test_without_a_stated_signature_a_crash_is_not_taken_for_the_one_in_question() -> None:
    proof = row("COOCXXC").prove([6], [2])
    assert (proof.vic, proof.how, proof.same_signature) == (name(4), "bisect", "yes")


def test_a_crash_below_a_clean_commit_is_no_end() -> None:
    world = row("CXCXC")
    witness = Witness(world.replay, same, BuildBudget(), {}, lambda text: None)
    for commit in world.graph.edges:
        witness.see(commit)
    assert interval(Lineage(tuple(map(name, range(5)))), witness) is None
    known = interval(Lineage(tuple(map(name, range(4)))), witness)
    assert known and (known.low, known.high, known.commits_between) == (2, 3, ())


def test_a_signature_is_the_same_as_itself() -> None:
    """Whatever `same` says of one without frames."""
    proof = prove(Row(6), [name(5)], [], row("CCXXXC").replay, lambda one, two: False, BUG)
    assert proof.confirmed and proof.vic == name(2)


def test_a_crash_drifts_between_the_stated_one_and_that_of_the_fixs_parent() -> None:
    """Likeness is not handed on: the oldest crash is like the stated one, and only that is like the newest."""
    frames = {2: ["a", "b"], 3: ["a", "b"], 4: ["b", "c"]}

    def replay(commit: str) -> Observation:
        crash = frames.get(number(commit))
        return Observation(
            commit, "crash" if crash else "clean", {"frames": crash} if crash else None
        )

    def alike(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
        return len(set(one["frames"]) & set(two["frames"])) == 2

    stated = {"frames": ["a", "b", "c"]}
    proof = prove(Row(6), [name(5)], [], replay, alike, stated)
    assert (proof.vic, proof.confirmed, proof.notes) == (name(2), True, ())
