"""Our operators' mutants of a program, each with its exploit; what was proven is kept by content."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.tracks.mutation.classify import KilledMutant
from arena.tracks.mutation.mutants import Mutant, mutants_of
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.version import SCORER
from harness.grade.ports import ResultCache, digest_of


@dataclass(frozen=True)
class ProvenMutant:
    """A mutant and its oracle as plain values; {} where no exploit was found."""

    mutant: Mutant
    oracle: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The contract's object, with the mutant's other facts beside."""
        return {**dataclasses.asdict(self.mutant), "oracle": self.oracle}


def prove_all(program: Program, prover: Prover, cache: ResultCache) -> list[ProvenMutant]:
    """Every mutant that our operators make of a program, in their order, those unproven too."""
    return [
        ProvenMutant(mutant, _oracle(program, mutant, prover, cache))
        for mutant in mutants_of(program)
    ]


def _oracle(program: Program, mutant: Mutant, prover: Prover, cache: ResultCache) -> dict[str, Any]:
    tests = (program.functional_tests, program.security_tests)
    made = (program.digest, *tests, mutant.operator, mutant.code)
    key = digest_of("mutation-oracle", str(SCORER), *made)
    if (known := cache.fact(key)) is not None:
        return dict(known["oracle"])
    operator = operator_of(mutant.operator)
    found = prover.prove(program, operator, mutant.code) if operator else None
    oracle = found.to_json() if found else {}
    cache.put_fact(key, {"oracle": oracle})
    return oracle


def our_mutants(prover: Prover, cache: ResultCache) -> Callable[[Program], list[KilledMutant]]:
    """For scoring: those that are proven weak, since a test owes nothing to the others."""

    def proven(program: Program) -> list[KilledMutant]:
        return [
            KilledMutant(p.mutant.id, p.mutant.operator, p.mutant.code, p.mutant.variant)
            for p in prove_all(program, prover, cache)
            if p.oracle
        ]

    return proven
