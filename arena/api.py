"""What Python code needs of the arena: `from arena import load_pack, grade, run, results`.

The commands `arena grade`, `arena run` and `arena report` go the same ways. A user's mistake raises
ValueError, TaskError, UnknownName or UnknownRun; a machine without a usable sandbox EngineUnavailable. What
fails of the machine later is the `health` of a verdict or an attempt, whose `label` is then None.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arena.protocols import Matrix, Setup
from arena.session import open_session, unsaid
from arena.store.model import Attempt, AttemptKey
from arena.store.store import Store
from harness.grade.verdict import Health, Label, Verdict
from harness.protocols import Budget, Solution
from tasks.loader import Pack, Task, load_pack

__all__ = [
    "Attempt",
    "Budget",
    "Health",
    "Label",
    "Pack",
    "Store",
    "Task",
    "Verdict",
    "grade",
    "load_pack",
    "results",
    "run",
]


def grade(
    pack: Pack,
    task: str,
    patch: bytes | str,
    *,
    sandbox: str = "auto",
    scanner: str = "",
    store: Path | str | None = None,
) -> Verdict:
    """The verdict on a patch (a unified diff against PVIC) of one task. It is stored and never repeated.

    sandbox: docker, local or auto; scanner: as for `--sast`; store: a folder or URL, None: the default.
    """
    from arena.tracks.passing import graded
    from harness.grade.grader import INFRA, infra_verdict

    solution = Solution(patch.encode() if isinstance(patch, str) else patch)
    key = AttemptKey(pack.task(task).id, "answers")
    with open_session(_setup(pack, sandbox, scanner), store=store) as session:
        try:
            return graded(lambda: session.track.grade(key, solution, unsaid))
        except INFRA as fault:
            return infra_verdict(fault)


def run(
    pack: Pack,
    agent: str,
    *,
    tasks: Sequence[str] = (),
    model: str = "",
    prompt: str = "neutral",
    replicates: int = 1,
    budget: Budget | None = None,
    workers: int = 0,
    sandbox: str = "auto",
    scanner: str = "",
    store: Path | str | None = None,
) -> list[Attempt]:
    """Let an agent solve tasks (none: all of the pack), grade what it leaves, and store it as a new run.

    agent: as for `--agent`: a name, `command:LINE`, `package.module:Class`; model: PROVIDER/NAME, for one
    that asks a model; budget: for each attempt; workers: attempts at a time, 0 for one a CPU.
    """
    matrix = Matrix([agent], [model] if model else [], [prompt], tasks, replicates)
    setup = _setup(pack, sandbox, scanner, budget or Budget())
    with open_session(setup, workers, store=store) as session:
        return session.make(matrix)


def _setup(pack: Pack, sandbox: str, scanner: str, budget: Budget | None = None) -> Setup:
    caps = budget or Budget()
    return Setup(pack.spec.track, str(pack.folder), sandbox, scanner, caps)


def results(run: str = "latest", *, store: Path | str | None = None) -> list[Attempt]:
    """The attempts of a run: its id, the name of a sweep, or "latest". Raises UnknownRun."""
    opened = Store(store)
    return opened.attempts(opened.run(run).id)
