"""Our operators' mutants of a program, each with its exploit and whether it counts; stored by content."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from arena.tracks.mutation.classify import KilledMutant
from arena.tracks.mutation.counting import LEFT, left_out
from arena.tracks.mutation.mutants import Mutant, mutant_of, mutants_of, operators_for
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.oracle.prove import Prover
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.mutation.version import SCORER
from harness.grade.ports import ResultCache, digest_of

COUNTS = "counts"
# Variant of the insecure version where it stands in for mutants.
INSECURE = "insecure"


@dataclass(frozen=True)
class ProvenMutant:
    """A mutant and its oracle as plain values; {} where it has no exploit.

    left: why it does not count, from `counting.LEFT`; "" for a mutant that counts.
    """

    mutant: Mutant
    oracle: dict[str, Any]
    left: str = ""

    def to_json(self) -> dict[str, Any]:
        """The contract's object, with the mutant's remaining facts."""
        return {**dataclasses.asdict(self.mutant), "oracle": self.oracle, "left": self.left}


def prove_all(program: Program, prover: Prover, cache: ResultCache) -> list[ProvenMutant]:
    """Every mutant that our operators make of a program, in their order, those that do not count too.

    Where none counts, the insecure version stands in for them, if a witness sees its effect.
    """
    mutants_with_oracles = [
        (mutant, _oracle(program, mutant, prover, cache)) for mutant in mutants_of(program)
    ]
    # The program's digest leaves its suites out; whether a mutant counts hangs on them.
    suites = (program.functional_tests, program.security_tests, repr(program.survivors))
    identities = (
        json.dumps([mutant.code, oracle], sort_keys=True) for mutant, oracle in mutants_with_oracles
    )
    key = digest_of("mutation-counted", str(SCORER), program.digest, *suites, *identities)
    left = _fetch_or_make(cache, key, lambda: left_out(program, mutants_with_oracles, prover.bed))
    mutants = [
        ProvenMutant(mutant, oracle, left.get(mutant.id, ""))
        for mutant, oracle in mutants_with_oracles
    ]
    return (
        mutants
        if any(not proven_mutant.left for proven_mutant in mutants)
        else mutants + _insecure(program, prover, cache)
    )


def _insecure(program: Program, prover: Prover, cache: ResultCache) -> list[ProvenMutant]:
    """The insecure version as a mutant, where no operator's counts; of the first operator that proves it."""
    for operator in operators_for(program.cwe) if program.insecure.strip() else ():
        mutant = mutant_of(program, operator.name, INSECURE, program.insecure, same=True)
        if oracle := _oracle(program, mutant, prover, cache):
            left = left_out(program, [(mutant, oracle)], prover.bed)
            return [ProvenMutant(mutant, oracle, left.get(mutant.id, ""))]
    return []


def _fetch_or_make(
    cache: ResultCache, key: str, make: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    if (fact := cache.fact(key)) is not None:
        return dict(fact["found"])
    result = make()
    cache.put_fact(key, {"found": result})
    return result


def _oracle(program: Program, mutant: Mutant, prover: Prover, cache: ResultCache) -> dict[str, Any]:
    tests = (program.functional_tests, program.security_tests)
    key_parts = (program.digest, *tests, mutant.operator, mutant.code)

    def prove() -> dict[str, Any]:
        operator = operator_of(mutant.operator)
        oracle = prover.prove(program, operator, mutant.code) if operator else None
        return oracle.to_json() if oracle else {}

    return _fetch_or_make(cache, digest_of("mutation-oracle", str(SCORER), *key_parts), prove)


def tally(mutants: Iterable[ProvenMutant]) -> dict[str, int]:
    """How many count, and how many left for which reason, in the order of `LEFT`."""
    counted = Counter(mutant.left or COUNTS for mutant in mutants)
    return {name: counted[name] for name in (COUNTS, *LEFT) if counted[name]}


def our_mutants(prover: Prover, cache: ResultCache) -> Callable[[Program], list[KilledMutant]]:
    """For scoring: those that count, since a test owes nothing to the others."""

    def counting(program: Program) -> list[KilledMutant]:
        return [
            KilledMutant(p.mutant.id, p.mutant.operator, p.mutant.code, p.mutant.variant)
            for p in prove_all(program, prover, cache)
            if not p.left
        ]

    return counting
