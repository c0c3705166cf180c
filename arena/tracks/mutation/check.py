"""The gate for a program of a pack: its tests pass, mutants count, and its reference suite kills all of them.

A mutant that survives the reference suite either is no weakness, and is listed in `survivors.toml` with the
reason, or shows that the suite lacks a test.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.protocols import Checked
from arena.tracks.mutation.mutants import Mutant
from arena.tracks.mutation.oracle.prove import Prover, RunsJobs
from arena.tracks.mutation.proven import COUNTS, prove_all, tally
from arena.tracks.mutation.runner.facts import RunResult
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.difficulty import difficulty_of
from arena.tracks.mutation.tasks.program import Program
from harness.grade.ports import MemoryCache

# (suite, version, whether it must pass).
EXPECTED: tuple[tuple[str, str, bool], ...] = (
    ("functional_tests", "secure", True),
    ("functional_tests", "insecure", True),
    ("security_tests", "secure", True),
    ("security_tests", "insecure", False),
)


def check_program(program: Program, prover: Prover, runner: RunsJobs) -> Checked:
    """Run the suites on both versions, and the reference suite on every mutant that counts.

    Facts: `mutants` counts those that count, `killed` those killed, `left` those that do not, by reason.
    Raises what the machine's faults raise.
    """
    problems = [("tests", message) for message in _suites(program, runner)]
    if program.difficulty != (computed := difficulty_of(program.secure)):
        message = f"{program.difficulty} is recorded, {computed} is computed"
        problems.append(("difficulty", message))
    mutants = prove_all(program, prover, MemoryCache())
    counting = [mutant.mutant for mutant in mutants if not mutant.left]
    left = {reason: number for reason, number in tally(mutants).items() if reason != COUNTS}
    if not counting:
        problems.append(("mutants", f"none counts: {left}"))
    tests = program.security_tests
    # Without a reference suite every mutant survives, so each one is listed as a problem.
    survived = (
        [m for m in counting if runner.run(SuiteJob(m.code, tests)).has_passed]
        if tests
        else counting
    )
    killed = len(counting) - len(survived)
    problems += [
        (f"{mutant.operator}:{mutant.variant}", f"survives: {_changed_lines(mutant)}")
        for mutant in survived
    ]
    facts = {"mutants": len(counting), "killed": killed, "left": left}
    return Checked(program.id, problems, facts=facts)


def _suites(program: Program, runner: RunsJobs) -> Iterator[str]:
    for suite, version, due in EXPECTED:
        run = runner.run(SuiteJob(getattr(program, version), getattr(program, suite)))
        if run.has_passed != due:
            yield f"{suite} {'fail' if due else 'pass'} on {version}: {_why(run)}"


def _why(run: RunResult) -> str:
    first = next(run.failing(), None)
    if first is not None:
        return f"{first.name}: {first.error}"[:300]
    return f"{run.stopped}, {len(run.tests)} tests {run.error}".strip()[:300]


def _changed_lines(mutant: Mutant) -> str:
    lines = [
        line
        for line in mutant.diff.splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    return " / ".join(lines)[:200]
