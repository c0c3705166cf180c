"""A PoC with few crashing neighbours is warned of: the task may test one byte pattern only."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from arena.tracks.repo import check
from harness.grade.grader import Grader
from tasks.loader import load_pack
from tasks.neighbours import Neighbours


def test_few_crashing_neighbours_are_warned_of() -> None:
    task = load_pack("starter").task("brook-include")
    assert task.neighbours is not None
    few = Neighbours(crashing=task.neighbours.crashing[:3])
    for neighbours, number in ((None, 0), (few, 3)):
        changed = replace(task)
        vars(changed)["neighbours"] = neighbours
        (warning,) = check._neighbours(cast(Grader, None), changed)
        assert warning.where == "oracle/neighbours.json"
        assert warning.message.startswith(f"{number} crashing neighbours of the PoC, fewer than 4")
    assert list(check._neighbours(cast(Grader, None), task)) == []
    assert check._neighbours in check.WARNINGS
