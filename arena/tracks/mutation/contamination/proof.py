"""Shows by a program's tests that a perturbed program behaves as the original does.

Every test of both suites must end on both versions as it did (with the same kind of error, where it failed),
and every stored mutant must be killed or survive as it did; the security tests must pass on the secure
version and fail on the insecure version. A program for which that cannot be shown keeps its original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.tracks.mutation.classify import RunsTests
from arena.tracks.mutation.contamination.perturbing import Perturbed, Unfit, perturb_program
from arena.tracks.mutation.runner.facts import RunResult
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.program import Program
from arena.tracks.pool import each

# What is tried, in this order: (structure, identifiers).
WAYS: Mapping[str, tuple[bool, bool]] = {
    "structure and names": (True, True),
    "structure": (True, False),
    "names": (False, True),
}
SUITES = ("functional_tests", "security_tests")

# How each test ended, and last how all of them did.
Ends = tuple[str, ...]
PASSED = "all: passed"


@dataclass(frozen=True)
class ProofOutcome:
    """What became of a program. `how` is a key of WAYS, or "" where it keeps its original; `why` says why.

    health is "infra" where the test runner failed: the program has no result then.
    """

    program: Program
    how: str = ""
    rewritings: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    health: str = "ok"

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.program.id,
            "perturbed": self.how,
            "rewritings": list(self.rewritings),
            "names": dict(self.names),
            "why": self.why,
            "health": self.health,
        }


def behaviour(program: Program, runner: RunsTests) -> dict[str, Ends]:
    """How every test ended on both versions, and whether each mutant was killed."""
    result: dict[str, Ends] = {}
    for version in ("secure", "insecure"):
        for suite in SUITES:
            if getattr(program, suite).strip():
                job = SuiteJob(getattr(program, version), getattr(program, suite))
                result[f"{version}, {suite}"] = _ends(runner.run(job))
    for number, mutant in enumerate(program.mutants):
        run = runner.run(SuiteJob(mutant.code, program.security_tests))
        result[f"mutant {number}"] = ("survived" if run.has_passed else "killed",)
    return result


def _ends(run: RunResult) -> Ends:
    # Without the messages, which may name what was renamed.
    tests = sorted(f"{test.name}: {test.outcome} {test.kind}".strip() for test in run.tests)
    return (*tests, f"all: {'passed' if run.has_passed else run.stopped}")


def unproven(program: Program, ends: Mapping[str, Ends]) -> str:
    """Why a program's tests prove nothing, or "" where they do."""
    if not program.security_tests.strip():
        return "it has no security tests"
    wanted = {"secure, security_tests": True, "insecure, security_tests": False}
    for what, passes in wanted.items():
        if (ends[what][-1] == PASSED) is not passes:
            return f"{what}: the original's {'do not pass' if passes else 'do not fail'}"
    return ""


def difference(before: Mapping[str, Ends], after: Mapping[str, Ends]) -> str:
    """The first test, mutant or version that ends differently, or ""."""
    for what, ends in before.items():
        later = after.get(what, ())
        if ends != later:
            changed = [
                f"{end} became {two}" for end, two in zip(ends, later, strict=False) if end != two
            ]
            return f"{what}: {changed[0] if changed else 'other tests ran'}"
    return ""


def prove_perturbation(program: Program, runner: RunsTests, seed: int = 0) -> ProofOutcome:
    """The first perturbation of WAYS that is shown to keep the behaviour, else the original."""
    ends = behaviour(program, runner)
    reason = unproven(program, ends)
    if reason:
        return ProofOutcome(program, why=reason)
    reasons: list[str] = []
    for how, perturbation in _candidates(program, seed, reasons):
        changed = difference(ends, behaviour(perturbation.program, runner))
        if not changed:
            return ProofOutcome(
                perturbation.program,
                how,
                perturbation.rewritings,
                perturbation.names,
                "; ".join(reasons),
            )
        reasons.append(f"{how}: {changed}")
    return ProofOutcome(program, why="; ".join(reasons) or "nothing in it can be changed")


def _candidates(program: Program, seed: int, reasons: list[str]) -> Iterator[tuple[str, Perturbed]]:
    # A way that gives the same program as an earlier one would be run again for the same answer.
    digests = {program.digest}
    for how, (structure, identifiers) in WAYS.items():
        try:
            perturbation = perturb_program(program, seed, structure, identifiers)
        except Unfit as error:
            reasons.append(f"{how}: {error}")
            continue
        if perturbation.program.digest not in digests:
            digests.add(perturbation.program.digest)
            yield how, perturbation


def perturb_all(
    programs: Sequence[Program],
    runner: RunsTests,
    seed: int = 0,
    jobs: int = 1,
    faults: tuple[type[Exception], ...] = (),
    done: Callable[[ProofOutcome], None] = lambda outcome: None,
) -> list[ProofOutcome]:
    """Outcomes in the order of the programs. `faults` are those of the runner: reported, not raised."""

    def one(program: Program) -> ProofOutcome:
        try:
            return prove_perturbation(program, runner, seed)
        except faults as error:
            return ProofOutcome(program, why=f"{type(error).__name__}: {error}", health="infra")

    return each(programs, one, jobs, lambda program, outcome: done(outcome))


def record_of(program: Program) -> dict[str, Any]:
    """A program in SecMutBench's JSON form, as `arena tasks import secmutbench` reads it."""
    mutants = [
        {
            "id": mutant.id,
            "operator": mutant.operator,
            "variant_type": mutant.variant,
            "mutant_category": mutant.category,
            "description": mutant.description,
            "mutated_code": mutant.code,
        }
        for mutant in program.mutants
    ]
    return {
        "id": program.id,
        "title": program.title,
        "cwe": program.cwe,
        "difficulty": program.difficulty,
        "prompt": program.instruction,
        "entry_point": program.entry_point,
        "secure_code": program.secure,
        "insecure_code": program.insecure,
        "functional_tests": program.functional_tests,
        "security_tests": program.security_tests,
        "source": program.origin,
        "mutants": mutants,
    }
