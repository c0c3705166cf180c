"""What Python code needs of the arena: `from arena import load_pack, grade, run, results`.

The commands `arena grade`, `arena run` and `arena report` go the same ways. A user's mistake raises
ValueError, TaskError, UnknownName or UnknownRun; a machine without a usable sandbox EngineUnavailable. What
fails of the machine later is the `health` of a verdict or an attempt, whose `label` is then None.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arena.protocols import Matrix
from arena.session import open_session
from arena.store.model import Attempt
from arena.store.store import Store
from harness.agents import Budget
from harness.grade.verdict import Health, Label, Verdict
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
    """The verdict on a patch (a unified diff against PVIC) of one task. It is kept, and not made twice.

    sandbox: docker, local or auto; scanner: as for `--sast`; store: a folder or URL, None: the default.
    """
    from arena.tracks.repo.grading import grade_predictions
    from arena.tracks.repo.predictions import Prediction

    pack.task(task)
    session = open_session(pack, sandbox, scanner, store=store)
    data = patch.encode() if isinstance(patch, str) else patch
    found: list[Verdict] = []
    predictions = [Prediction(task, "", data)]
    grade_predictions(session.track, predictions, 1, lambda _, verdict: found.append(verdict))
    return found[0]


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
    from arena.tracks.repo.models import ModelOptions
    from arena.tracks.repo.track import PINS
    from tasks.instruction.templates import known_prompt

    models = [model] if model else []
    matrix = Matrix([agent], models, [known_prompt(prompt)], tasks, replicates)
    options = ModelOptions(pinned=PINS)
    session = open_session(
        pack, sandbox, scanner, workers, budget or Budget(), options=options, store=store
    )
    return session.make(matrix, str(pack.folder))


def results(run: str = "latest", *, store: Path | str | None = None) -> list[Attempt]:
    """The attempts of a run: its id, the name of a sweep, or "latest". Raises UnknownRun."""
    opened = Store(store)
    return opened.attempts(opened.run(run).id)
