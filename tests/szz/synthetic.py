"""Histories that exist only in memory, and a PoC that crashes where the test says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import Any

from szz.observation import Observation
from szz.proof.lineage import NotInLineage
from szz.proof.prove import prove
from szz.proof.result import LOSSES, How, Proof

BUG = {"kind": "heap-buffer-overflow", "frames": ["parse"]}
ELSE = {"kind": "stack-overflow", "frames": ["print"]}
# main: 0 1 2 7 8 9 (the fix); branch: 1 3 4 5 6, merged by 7.
BRANCH = [[], [0], [1], [1], [3], [4], [5], [2, 6], [7], [8]]


def name(number: int) -> str:
    return f"{number:012d}" + "0" * 28


def number(commit: str) -> int:
    return int(commit[:12])


class Graph:
    """Commit n is `name(n)`; `parents[n]` are numbers below n."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        self.edges = {name(n): tuple(map(name, ps)) for n, ps in enumerate(parents)}
        self.above = parents

    def resolve(self, name: str) -> str:
        if name not in self.edges:
            raise NotInLineage(name)
        return name

    def parents(self, commit: str) -> tuple[str, ...]:
        return self.edges[commit]

    def first_parents(self, commit: str) -> list[str]:
        line = [commit]
        while self.edges[line[-1]]:
            line.append(self.edges[line[-1]][0])
        return line

    def is_ancestor(self, older: str, newer: str) -> bool:
        return bool(self.past[number(newer)] >> number(older) & 1)

    @cached_property
    def past(self) -> list[int]:
        """For each commit the set of those it contains, as bits."""
        bits: list[int] = []
        for n, parents in enumerate(self.above):
            bits.append(reduce(or_, (bits[parent] for parent in parents), 1 << n))
        return bits


class Row(Graph):
    """A linear history of `length` commits, whose ancestry costs nothing to ask."""

    def __init__(self, length: int) -> None:
        super().__init__([[n - 1] if n else [] for n in range(length)])

    def is_ancestor(self, older: str, newer: str) -> bool:
        return number(older) <= number(newer)


@dataclass
class World:
    """A history with what each commit does: `C`lean, `X` the crash, `O`ther crash, un`B`uilt, `U`nclear."""

    graph: Graph
    does: Callable[[int], str]
    asked: list[int] = field(default_factory=list)

    def replay(self, commit: str) -> Observation:
        assert number(commit) not in self.asked, "a commit is never replayed twice"
        self.asked.append(number(commit))
        return {
            "C": Observation(commit, "clean", seconds=1),
            "X": Observation(commit, "crash", BUG, seconds=1),
            "O": Observation(commit, "crash", ELSE, seconds=1),
            "B": Observation(commit, "unbuilt", seconds=1, reason="no rule to make target"),
            "A": Observation(commit, "unbuilt", seconds=1, lacks=("other", BUG["frames"][0])),
            "L": Observation(
                commit, "unbuilt", seconds=1, lacks=("LLVMFuzzerTestOneInput", "flag")
            ),
            "U": Observation(commit, "unclear", seconds=1, reason="2 of 3 replays crashed"),
        }[self.does(number(commit))]

    def prove(
        self,
        fixes: Sequence[int],
        candidates: Sequence[int] = (),
        stated: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Proof:
        """The proof, and that it keeps its own rules whatever the case."""
        names = [list(map(name, numbers)) for numbers in (fixes, candidates)]
        proof = prove(self.graph, *names, self.replay, same, stated, **options)
        self.hold(proof)
        return proof

    def hold(self, proof: Proof) -> None:
        assert proof.confirmed == (not proof.lost) == (not proof.reason)
        assert proof.lost in {*LOSSES, ""} and "\n" not in proof.reason
        assert len({run.commit for run in proof.runs}) == len(proof.runs)
        if proof.confirmed:
            assert proof.vic and proof.pvic and proof.vfc and proof.how and proof.gap == 0
            assert self.does(number(proof.vfc)) == "C" and self.does(number(proof.pvic)) in "CA"
            assert self.does(number(proof.vic)) in "XO"
            assert proof.pvic == self.graph.parents(proof.vic)[0]
            assert {proof.vfc, proof.vic, proof.pvic} <= {run.commit for run in proof.runs}


def same(one: Mapping[str, Any], two: Mapping[str, Any]) -> bool:
    return one["kind"] == two["kind"]


def row(text: str) -> World:
    """A linear history, a letter for each commit."""
    return World(Row(len(text)), text.__getitem__)


def branch(text: str) -> World:
    """The history BRANCH, a letter for each commit."""
    return World(Graph(BRANCH), text.__getitem__)


def flip_at(vic: int, length: int) -> World:
    """A linear history of `length` commits and a fix after them."""
    return World(Row(length + 1), lambda n: "X" if vic <= n < length else "C")


def log2(number: int) -> int:
    return math.ceil(math.log2(number))


def lots(*numbers: Sequence[int], how: How = "anchors") -> Iterator[tuple[How, list[str]]]:
    """Further candidates, a lot for each sequence of numbers."""
    for lot in numbers:
        yield how, [name(number) for number in lot]


def days(*numbers: int) -> list[set[str]]:
    """The commits of one stretch of days."""
    return [{name(number) for number in numbers}]


def doubt_all(observation: Observation) -> bool:
    return True
