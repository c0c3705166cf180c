"""The funnel: how many cases reach each step, and for each that does not, why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from arena.building.confirm import ALL_LOSSES, CASE_ERRORS, loss_of
from arena.building.draft import CannotDraft
from harness.grade.verdict import TaskBroken

# What a `CaseProgress.lost` means; `arena.building.oracle.CODES` says the rest, in words of its own.
MEANINGS: Mapping[str, str] = {
    **ALL_LOSSES,
    "carried-too-large": "the fuzz target's files are too large to be carried along",
    "differs": "what the case states of its task came out otherwise",
    "check": "the finished task does not hold a check",
    "doubtful": "the VIC may not be where the weakness came in: it waits for a person's look",
    "instruction": "the instruction does not hold the rules",
    "interrupted": "somebody ended the build before the case was settled",
    "model": "the model that writes instructions did not answer",
    "no-cwe": "no weakness is known for the kind of crash",
    "no-fixed": "no way to bring the fix onto the VIC works and is safe",
    "no-frames": "the crash at the VIC names no function",
    "not-asked": "only kinds of task were asked for that need no VIC",
    "not-shown": "the PoC does not crash the fix's parent, or crashes the fix",
    "no-suite": "no test suite was found",
    "part": "a part that the entry of a catalogue states is not at hand, or is another",
    "out-of-time": "the budget of time ended before it was its turn",
    "review": "the instruction is a draft that waits for a person's review",
    "same-vic": "another case has the same VIC and is the task",
    "submodule-moves": "gold takes a submodule to another commit",
    "too-complex": "gold changes more than was asked for",
    "weak-before": "inputs like the PoC crash PVIC too: the VIC is not where the weakness came in",
}


@dataclass
class CaseProgress:
    """How far a case came. `lost` is a code ("" while it goes on), `reason` a line.

    kinds: of the kinds that need no VIC, the task's id, or why there is none. notes: of the proof;
    doubt: of the VIC, see `Confirmation`. differences: of the task from what its case states (`[expected]`).
    """

    case: str
    project: str = ""
    complete: bool = False
    candidates: int = 0
    confirmed: bool = False
    how: str = ""
    builds: int = 0
    task: str = ""
    complexity: Mapping[str, int] = field(default_factory=dict)
    oracle: bool = False
    fixed: str = ""
    programs: str = ""
    around: str = ""
    other_values: str = ""
    described: bool = False
    doubt: str = ""
    review: bool = False
    held: bool = False
    checked: bool = False
    kinds: dict[str, str] = field(default_factory=dict)
    lost: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether the case became a task, or a part of a task."""
        # A "same-vic" case gave its PoC to another's task and is nothing that has to be built again.
        return self.held or self.lost == "same-vic" or (not self.lost and bool(self.kinds))

    def lose(self, code: str, reason: str) -> None:
        self.lost, self.reason = code, " ".join(reason.split())

    @contextmanager
    def add_seconds(self) -> Iterator[None]:
        """Add the wall time of what is done inside."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds += time.monotonic() - started

    @contextmanager
    def losing(self) -> Iterator[None]:
        """Turn what a step raises about the case into a loss; anything else goes through."""
        try:
            yield
        # The order matters: only what is known to be the case's fault is a loss, our own defect ends the
        # build.
        except CannotDraft as error:
            self.lose(error.code, str(error))
        except TaskBroken as broken:
            self.lose("unreadable", str(broken))
        except CASE_ERRORS as error:
            self.lose(*loss_of(error))

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "seconds": round(self.seconds, 3)}


STEPS: tuple[tuple[str, str], ...] = (
    ("listed", "cases given"),
    ("complete", "with a repository, a build and a PoC"),
    ("confirmed", "VIC proven by the PoC"),
    ("drafted", "gold made, within the bounds"),
    ("oracle", "tests that run, pass and reach gold"),
    ("fixed", "a patch that works and is safe"),
    ("described", "with an instruction"),
    ("held", "tasks that hold every check"),
    ("checked", "as stated, whose instruction and VIC wait for no review"),
)


def _loss_without_fault(progress: CaseProgress) -> str:
    """Why a case went no further though nothing is wrong with it."""
    return "not-asked" if progress.kinds else "unknown"


def has_reached(progress: CaseProgress, step: str) -> bool:
    """Whether a case came as far as that step."""
    if step == "listed":
        return True
    if step == "drafted":
        return bool(progress.task)
    return bool(getattr(progress, step))


def funnel(all_progress: Sequence[CaseProgress]) -> dict[str, Any]:
    """The counts: by step, project, loss, and by how the VIC was determined; every task and every journey."""
    rows = []
    before = list(all_progress)
    for step, meaning in STEPS:
        now = [progress for progress in before if has_reached(progress, step)]
        losses = Counter(
            j.lost or _loss_without_fault(j) for j in before if not has_reached(j, step)
        )
        # Each row counts only cases of the row before, so that the losses of all rows add up to the cases
        # listed.
        rows.append({"step": step, "meaning": meaning, "cases": len(now), "lost": dict(losses)})
        before = now
    counts_by_how = Counter(progress.how for progress in all_progress if progress.confirmed)
    return {
        "funnel": rows,
        "projects": _count_by_project(all_progress),
        "losses": dict(Counter(each.lost for each in all_progress if each.lost)),
        "tasks": [
            {"task": each.task, "case": each.case, "checked": each.checked, "review": each.review}
            for each in all_progress
            if each.held
        ],
        "how": dict(counts_by_how),
        "single_candidate": sum(progress.candidates == 1 for progress in all_progress),
        "review": sum(progress.review for progress in all_progress),
        "kinds": dict(
            Counter(
                kind
                for each in all_progress
                for kind, task in each.kinds.items()
                # The value is a task's id or the reason of a loss; only the id ends in the kind.
                if task.endswith(f"-{kind}")
            )
        ),
        "journeys": [progress.to_json() for progress in all_progress],
    }


def _count_by_project(all_progress: Sequence[CaseProgress]) -> dict[str, dict[str, int]]:
    """Project -> how many of its cases reached each step, and the builds and seconds that they took."""
    counts: dict[str, dict[str, int]] = {}
    for name in dict.fromkeys(progress.project for progress in all_progress):
        of_project = [progress for progress in all_progress if progress.project == name]
        counts[name] = {
            **{
                step: sum(has_reached(progress, step) for progress in of_project)
                for step, _ in STEPS
            },
            "builds": sum(progress.builds for progress in of_project),
            "seconds": round(sum(progress.seconds for progress in of_project)),
        }
    return counts


def text(counts: dict[str, Any]) -> list[str]:
    """The funnel as lines for people: a bar for each step, and beneath it what was lost there."""
    total = max(1, counts["funnel"][0]["cases"])
    lines = []
    for row in counts["funnel"]:
        bar = "#" * round(30 * row["cases"] / total)
        for code, number in sorted(row["lost"].items(), key=lambda pair: -pair[1]):
            lines.append(f"{'':12}{-number:5}  {code}: {MEANINGS.get(code, '')}".rstrip(": "))
        lines.append(f"{row['step']:12}{row['cases']:5}  {bar:30}  {row['meaning']}")
    if len(counts["projects"]) > 1:
        columns = ("listed", "confirmed", "held", "checked", "builds", "seconds")
        lines.append(f"{'project':20}" + "".join(f"{name:>11}" for name in columns))
        lines += [
            f"{name[:19]:20}" + "".join(f"{row[column]:11}" for column in columns)
            for name, row in counts["projects"].items()
        ]
    if counts["kinds"]:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts["kinds"].items()))
        lines.append(f"tasks of other kinds: {kinds}")
    methods = ", ".join(f"{number} by {how}" for how, number in sorted(counts["how"].items()))
    lines.append(f"VICs found: {methods or 'none'}")
    if counts["review"]:
        lines.append(f"{counts['review']} instruction(s) are drafts that wait for review")
    return lines
