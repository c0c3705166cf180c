"""Every commit is replayed once, within a budget, and judged by whether it shows the crash in question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from szz.observation import Observation, Replay, Same
from szz.proof.result import short

# `crash` is the one in question, `other` another one; `unknown`: unbuilt or unclear.
Finding = Literal["crash", "clean", "other", "unknown"]

# Frames of the fuzz target itself.
ENTRIES = frozenset({"LLVMFuzzerTestOneInput", "main"})
Say = Callable[[str], None]


def ways(signatures: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The functions that crashes go through, by their plain names, without those of the fuzz target."""
    names = (name for signature in signatures for name in signature.get("frames", ()))
    return frozenset(name.rpartition("::")[2] for name in names) - ENTRIES


class OverBudget(Exception):
    """A further build would pass the budget; the message says which part of it."""


@dataclass(frozen=True)
class BuildBudget:
    """How expensive a proof may be: distinct commits built, and the sum of their seconds."""

    builds: int = 40
    seconds: float | None = None

    def spent(self, runs: Mapping[str, Observation]) -> str:
        """Say in a line what is used up; empty when more may be built."""
        if len(runs) >= self.builds:
            return f"the budget of {self.builds} builds is used up"
        if self.seconds is not None and sum(r.seconds for r in runs.values()) >= self.seconds:
            return f"the budget of {self.seconds:g} seconds is used up"
        return ""


@dataclass
class Witness:
    """Observes commits through `replay`, and holds all observations (`runs`, in the order of requests).

    Observations in `earlier` are not replayed, but enter `runs` only when requested, and then cost as if
    built now: so a proof that was interrupted and resumed ends like an uninterrupted proof. `references` are
    the signatures of the crash in question; while there is none, every crash passes for it.
    """

    replay: Replay
    same: Same
    budget: BuildBudget
    earlier: Mapping[str, Observation]
    say: Say
    stated: Mapping[str, Any] | None = None
    runs: dict[str, Observation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.references: tuple[Mapping[str, Any], ...] = (self.stated,) if self.stated else ()

    def see(self, commit: str) -> Observation:
        """The observation of the commit. Raises OverBudget, and whatever `replay` raises."""
        if commit in self.runs:
            return self.runs[commit]
        if over := self.budget.spent(self.runs):
            raise OverBudget(over)
        run = self.earlier[commit] if commit in self.earlier else self.replay(commit)
        self.runs[commit] = run
        self.say(
            f"revision {len(self.runs)} of at most {self.budget.builds}: {short(commit)} {run.state}"
        )
        return run

    def find(self, commit: str) -> Finding:
        """Observe the commit and judge it. Raises as `see`."""
        return self.judge(self.see(commit))

    def judge(self, observation: Observation) -> Finding:
        """The observation judged by today's references."""
        if observation.state == "clean" or self.absent(observation):
            return "clean"
        if observation.state != "crash":
            return "unknown"
        return "crash" if not self.references or self._is_reference(observation) else "other"

    def absent(self, observation: Observation) -> str:
        """The function that the crash in question goes through and a revision has not; "" for none.

        A crash cannot exist before the code that it goes through: so a revision without that code may fail to
        build with the fuzz target. Only names of the crash's frames count, as a target may use what is
        younger than the weakness.
        """
        if observation.state != "unbuilt":
            return ""
        shown = [r.signature for r in self.runs.values() if r.signature and self._is_reference(r)]
        frames = ways((*self.references, *shown))
        return next((name for name in observation.lacks if name in frames), "")

    def findings(self) -> dict[str, Finding]:
        """All observations so far, judged by today's references."""
        return {commit: self.judge(run) for commit, run in self.runs.items()}

    def refer_to(self, observation: Observation) -> bool:
        """Take a crash of the fix's past as a reference; returns whether the stated signature agrees with it.

        A stated signature that does not agree is put aside: what the fix fixed is what counts.
        """
        agrees = not self.stated or self._matches(self.stated, observation)
        stated = (self.stated,) if self.stated and agrees else ()
        self.references = (*stated, observation.signature) if observation.signature else stated
        return agrees

    def _is_reference(self, observation: Observation) -> bool:
        return any(self._matches(reference, observation) for reference in self.references)

    def _matches(self, reference: Mapping[str, Any], observation: Observation) -> bool:
        if not observation.signature:
            return False
        # Equal data first: `same` compares frames by rules, which a signature without frames may fail.
        return reference == observation.signature or self.same(reference, observation.signature)
