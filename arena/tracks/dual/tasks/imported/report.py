"""Report of an import: the pack's `import.json`, and the command's output."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

# Oracles that see no effect of an attack but a crash, a stall or a leak: security tests with none but these
# are reported separately.
SOFT = frozenset(("survives", "no-traceback", "responds", "says", "within"))


@dataclass(frozen=True)
class Untyped:
    """A test that nothing deterministic judges, and why."""

    task: str
    test: str
    why: str


@dataclass(frozen=True)
class ImportProblem:
    """Something in the data, or missing from it, that a person should look at. `test` "": of the task."""

    task: str
    test: str
    what: str


@dataclass(frozen=True)
class Proposal:
    """An oracle of a test, and the rule that proposed it; "annotation" where a person did."""

    task: str
    test: str
    oracle: str
    rule: str


@dataclass(frozen=True)
class ImportedTask:
    """What was imported: numbers of tasks and tests, and all that a reviewer needs.

    proven: tasks of which some program passes all tests but those quarantined. held: tasks that no program
    has proven, which are not run, with the reason. quarantined: tests that do not count, with the reason.
    unfailed: security tests ("task/test") that no insecure program fails, of tasks that have such programs.
    """

    tasks: int
    functional: int
    security: int
    untyped: tuple[Untyped, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    proposals: tuple[Proposal, ...] = ()
    proven: tuple[str, ...] = ()
    held: tuple[ImportProblem, ...] = ()
    quarantined: tuple[ImportProblem, ...] = ()
    unfailed: tuple[str, ...] = ()

    @property
    def unproven(self) -> bool:
        """Whether no program has shown that any of the tests can be passed."""
        return not self.proven and not self.held

    @property
    def oracles(self) -> dict[str, int]:
        """Oracle -> how many tests have it."""
        # A set, as several rules may propose the same oracle for one test.
        pairs = {(proposal.task, proposal.test, proposal.oracle) for proposal in self.proposals}
        return dict(sorted(Counter(oracle for _, _, oracle in pairs).items()))

    @property
    def soft(self) -> tuple[str, ...]:
        """Security tests ("task/test") with none but soft oracles, and those that no insecure program fails;
        quarantined ones are left out."""
        gone = {(item.task, item.test) for item in self.quarantined}
        of_test: dict[tuple[str, str], set[str]] = {}
        for proposal in self.proposals:
            of_test.setdefault((proposal.task, proposal.test), set()).add(proposal.oracle)
        return self.unfailed + tuple(
            f"{task}/{test}"
            for (task, test), oracles in of_test.items()
            if test.startswith("sec-") and oracles <= SOFT and (task, test) not in gone
        )

    def as_json(self) -> dict[str, Any]:
        """What `arena tasks import dualgauge --json` prints, and what a reviewer needs."""
        return {
            "tasks": self.tasks,
            "functional": self.functional,
            "security": self.security,
            "untyped": [vars(item) for item in self.untyped],
            "problems": [vars(problem) for problem in self.problems],
            "oracles": self.oracles,
            "soft": list(self.soft),
            "proposals": [vars(proposal) for proposal in self.proposals],
            "unproven": self.unproven,
            "proven": list(self.proven),
            "held": [vars(item) for item in self.held],
            "quarantined": [vars(item) for item in self.quarantined],
        }
