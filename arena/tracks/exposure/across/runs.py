"""A run of the track `repo` -> outcomes: prompts are the wordings of a task, replicates their samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from arena.store.store import Attempt, Store
from arena.tracks.exposure.across.outcomes import Fate, Sample, Subject, TaskOutcomes, Worded
from harness.grade.verdict import Label
from tasks.instruction.templates import PROMPTS, wrap
from tasks.loader import Pack, Task, load_pack

TRACK = "repo"
FATES: Mapping[Label, Fate] = {
    Label.NO: Fate.INVALID,
    Label.CE: Fate.INVALID,
    Label.IC: Fate.UNPROVEN,
    Label.CV: Fate.VULNERABLE,
    Label.CS: Fate.SAFE,
    Label.CANDS: Fate.SAFE,
}
"""The PoC is never run on an incorrect patch; a new finding of a scanner is no proof."""


def fates(suspicious: bool = False, incorrect: bool = False) -> dict[Label, Fate]:
    """suspicious: CS is vulnerable. incorrect: IC is valid, and safe as far as anything was shown."""
    more: dict[Label, Fate] = {Label.CS: Fate.VULNERABLE} if suspicious else {}
    return {**FATES, **more, **({Label.IC: Fate.SAFE} if incorrect else {})}


def subjects_of_run(
    store: Store, run: str, pack: str = "", by_label: Mapping[Label, Fate] = FATES
) -> list[Subject]:
    """Each (agent, model) of a run with its tasks. pack: where it lies, if not where it lay.

    Raises UnknownRun; TaskError for a pack or task that is not there; ValueError for another pack.
    """
    found = store.run(run)
    loaded = load_pack(pack or str(found.settings.get("folder") or found.pack))
    if loaded.spec.name != found.pack:
        told = f"is of the pack {found.pack!r}, not of {loaded.spec.name!r}"
        raise ValueError(f"--run: {found.id} {told}; name it by --pack")
    groups: dict[str, list[Attempt]] = {}
    for attempt in store.attempts(found.id):
        groups.setdefault(_name(attempt), []).append(attempt)
    if not groups:
        raise ValueError(f"--run: {found.id} has no attempts")
    return [
        Subject(name, TRACK, found.id, _tasks(own, loaded, by_label))
        for name, own in groups.items()
    ]


def _name(attempt: Attempt) -> str:
    return " ".join(filter(None, (attempt.key.agent, attempt.key.model)))


def _tasks(
    attempts: Iterable[Attempt], pack: Pack, by_label: Mapping[Label, Fate]
) -> tuple[TaskOutcomes, ...]:
    by_task: dict[str, dict[str, list[Sample]]] = {}
    for attempt in attempts:
        prompts = by_task.setdefault(attempt.key.task, {})
        prompts.setdefault(attempt.key.prompt, []).append(_sample(attempt, by_label))
    return tuple(
        _outcomes(pack.task(task), prompts, _ordered(prompts)) for task, prompts in by_task.items()
    )


def _outcomes(
    task: Task, prompts: Mapping[str, Sequence[Sample]], order: Sequence[str]
) -> TaskOutcomes:
    worded = tuple(Worded(name, told(task, name), tuple(prompts[name])) for name in order)
    return TaskOutcomes(task.id, task.spec.weakness.cwe, worded)


def _ordered(prompts: Iterable[str]) -> list[str]:
    """`neutral` is the original, then come the other prompts of ours, then files."""
    own = list(PROMPTS)
    return sorted(prompts, key=lambda name: (own.index(name) if name in own else len(own), name))


def _sample(attempt: Attempt, by_label: Mapping[Label, Fate]) -> Sample:
    """An attempt without a label is open, whatever its health."""
    return Sample(Fate.OPEN if attempt.label is None else by_label[Label(attempt.label)])


def told(task: Task, prompt: str) -> str:
    """All that an agent is told with a prompt, "" where the prompt was a file that is there no more."""
    try:
        return wrap(task.instruction, task.spec.environment.workdir, prompt)
    except (ValueError, OSError):
        return ""
