"""What gates a program of a pack: its tests hold, and its reference suite kills the mutants it should.

A mutant that survives the reference suite needs a reason in `survivors.toml` beside the program:
`[[survivor]]` with `variant` ("PSQLI:percent"), optionally `diff` (text that its diff holds), and `reason`.
Of the mutants without a reason the suite must kill four in five.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arena.protocols import Checked
from arena.tracks.mutation.mutants import Mutant, mutants_of
from arena.tracks.mutation.operators import operator_of
from arena.tracks.mutation.oracle.prove import Bed, Prover
from arena.tracks.mutation.runner.facts import RunResult
from arena.tracks.mutation.runner.job import SuiteJob
from arena.tracks.mutation.tasks.difficulty import difficulty_of
from arena.tracks.mutation.tasks.program import Program
from tasks.loader import TaskError

LEAST_KILLED = 0.8


EXPECTED: tuple[tuple[str, str, bool], ...] = (
    ("functional_tests", "secure", True),
    ("functional_tests", "insecure", True),
    ("security_tests", "secure", True),
    ("security_tests", "insecure", False),
)
"""(suite, version, whether it must pass)."""


def check_program(program: Program, folder: Path | None, prover: Prover, runner: Bed) -> Checked:
    """Run the suites on both versions, and the reference suite on every mutant that is proven weak.

    `folder` holds `survivors.toml`, if any; raises TaskError where that is malformed. Facts: `mutants` counts
    those proven weak, `killed` those killed. Raises what the machine's faults raise.
    """
    problems = [("tests", said) for said in _suites(program, runner)]
    if program.difficulty != (computed := difficulty_of(program.secure)):
        said = f"{program.difficulty} is recorded, {computed} is computed"
        problems.append(("difficulty", said))
    proven = [mutant for mutant in mutants_of(program) if _weak(program, mutant, prover)]
    tests = program.security_tests
    survived = (
        [m for m in proven if runner.run(SuiteJob(m.code, tests)).passed] if tests else proven
    )
    reasons = _explained(folder)
    unexplained = [m for m in survived if not any(explains(m) for explains in reasons)]
    killed = len(proven) - len(survived)
    if killed < LEAST_KILLED * (killed + len(unexplained)):
        problems.append(("mutants", f"test_security.py kills {killed} of {len(proven)}"))
    problems += [
        (f"{mutant.operator}:{mutant.variant}", f"survives unexplained: {_changed(mutant)}")
        for mutant in unexplained
    ]
    return Checked(program.id, problems, facts={"mutants": len(proven), "killed": killed})


def _suites(program: Program, runner: Bed) -> Iterator[str]:
    for suite, version, due in EXPECTED:
        run = runner.run(SuiteJob(getattr(program, version), getattr(program, suite)))
        if run.passed != due:
            yield f"{suite} {'fail' if due else 'pass'} on {version}: {_why(run)}"


def _why(run: RunResult) -> str:
    first = next(run.failing(), None)
    if first is not None:
        return f"{first.name}: {first.error}"[:300]
    return f"{run.stopped}, {len(run.tests)} tests {run.error}".strip()[:300]


def _weak(program: Program, mutant: Mutant, prover: Prover) -> bool:
    operator = operator_of(mutant.operator)
    return operator is not None and prover.prove(program, operator, mutant.code) is not None


def _changed(mutant: Mutant) -> str:
    lines = [
        line
        for line in mutant.diff.splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    return " / ".join(lines)[:200]


def _explained(folder: Path | None) -> Sequence[Callable[[Mutant], bool]]:
    path = folder / "survivors.toml" if folder else None
    if path is None or not path.is_file():
        return ()
    try:
        entries = tomllib.loads(path.read_text("utf-8"))["survivor"]
        return [
            _explaining(entry["variant"], entry.get("diff", ""), entry["reason"])
            for entry in entries
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise TaskError(f"{path}: survivor: needs variant and reason ({error})") from error


def _explaining(variant: str, part: str, reason: str) -> Callable[[Mutant], bool]:
    if not reason.strip():
        raise ValueError("an empty reason")
    return lambda mutant: f"{mutant.operator}:{mutant.variant}" == variant and part in mutant.diff
