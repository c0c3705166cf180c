"""A bounded, seeded campaign around a PoC: further inputs that crash gold as it does, and harmless ones.

The fixed program is the judge: what it does not stand is no proof of the weakness. An input is kept when both
programs show the same in two replays.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from random import Random

from harness.acquire.mutators import MUTATORS
from harness.grade.apply import apply, examine
from harness.grade.attack import RESOURCE_KINDS, attack_of, historical
from harness.grade.building import build_target
from harness.grade.decide import Decided
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.neighbours import Ending, endings
from harness.grade.ports import Keeper
from harness.grade.verdict import TaskBroken
from harness.sandbox.base import Backend, Sandbox
from tasks.loader import Task
from tasks.neighbours import MAX_INPUT, MOST, Neighbours

SECONDS = 60.0
BATCH = 64
TRIED = 8192
"""Inputs that a campaign looks at, at most."""
Say = Callable[[int, int, int], None]
"""Told after each batch: how many were tried, how many crash, how many are harmless."""


class NoNeighbours(Exception):
    """The task can have none; the message says why."""


def _silent(_: int, _crashing: int, _harmless: int) -> None:
    return None


@dataclass
class _Found:
    """Kept inputs by the mutator that made them, so that those which are shown are of many kinds."""

    by: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))

    def chosen(self) -> tuple[bytes, ...]:
        """At most `MOST`, in turns from each mutator."""
        rounds = zip_longest(*self.by.values())
        return tuple(data for row in rounds for data in row if data is not None)[:MOST]


def search(
    backend: Backend,
    task: Task,
    keeper: Keeper,
    seed: int = 0,
    seconds: float = SECONDS,
    say: Say = _silent,
) -> Neighbours:
    """Neighbours of a task's PoC, at most `MOST` of each kind; the same seed tries the same inputs.

    Ends when enough are found, after `TRIED` inputs or `seconds`. Raises NoNeighbours, TaskBroken,
    SandboxFault.
    """
    poc = _poc(task)
    crashing, harmless = _Found(), _Found()
    said: set[tuple[int | None, str]] = set()
    tried, until = 0, time.monotonic() + seconds
    with _targets(backend, task, keeper) as (gold, fixed):
        for batch in _batches(poc, Random(seed), crashing):  # noqa: S311 - no secret
            inputs = list(batch)
            at_gold, at_fixed = _twice(gold, task, inputs), _twice(fixed, task, inputs)
            for data, seen, judged in zip(inputs, at_gold, at_fixed, strict=True):
                if seen is None or judged is None or judged.crash or judged.status is None:
                    continue
                said.add(judged.plain)
                if seen.crash and historical(task, seen.crash):
                    crashing.by[batch[data]].append(data)
                elif not seen.crash and seen.plain == judged.plain:
                    harmless.by[batch[data]].append(data)
            tried += len(inputs)
            say(tried, len(crashing.chosen()), len(harmless.chosen()))
            enough = (
                min(len(crashing.chosen()), len(harmless.chosen())) >= MOST and tried >= TRIED // 16
            )
            if enough or tried >= TRIED or time.monotonic() > until:
                break
    return Neighbours(crashing.chosen(), harmless.chosen(), tried, len(said) > 1)


def _poc(task: Task) -> bytes:
    if not task.poc or "{poc}" not in task.spec.poc.command:
        raise NoNeighbours(f"{task.id}: the PoC is no file of the task")
    if len(task.poc) > MAX_INPUT:
        raise NoNeighbours(f"{task.id}: the PoC has more than {MAX_INPUT >> 20} MiB")
    if task.spec.poc.signature.kind in RESOURCE_KINDS.values():
        kind = task.spec.poc.signature.kind
        raise NoNeighbours(f"{task.id}: a {kind} is told by its limit, and that takes too long")
    return task.poc


@contextmanager
def _targets(backend: Backend, task: Task, keeper: Keeper) -> Iterator[list[Sandbox]]:
    """Sandboxes with gold's fuzz target and with the fixed one."""
    image = prepare(backend, task).image
    with ExitStack() as stack:
        boxes = []
        for solution in ("gold", "fixed"):
            box = stack.enter_context(sandbox(backend, image, limits_of(task)))
            try:
                apply(box, task, examine(task.solution(solution)), None)
                build_target(box, task, "the fuzz target does not build", keeper)
            except Decided as decided:
                raise TaskBroken(f"{task.id}: {solution}: {decided.reason}") from decided
            boxes.append(box)
        yield boxes


def _batches(poc: bytes, chance: Random, crashing: _Found) -> Iterator[dict[bytes, str]]:
    """Inputs that were not there before, and the name of the mutator of each; half come from found ones."""
    seen = {poc}
    while True:
        batch: dict[bytes, str] = {}
        for _ in range(BATCH * 4):
            sources = crashing.chosen()
            source = chance.choice(sources) if sources and chance.random() < 0.5 else poc
            mutator = chance.choice(MUTATORS)
            made = mutator(source, chance) if source else b""
            if made not in seen and 0 < len(made) <= MAX_INPUT:
                seen.add(made)
                batch[made] = mutator.__name__
            if len(batch) == BATCH:
                break
        if not batch:
            return
        yield batch


def _twice(box: Sandbox, task: Task, inputs: list[bytes]) -> Iterable[Ending | None]:
    """How each input ends; None where two replays differ."""
    attack = attack_of(task)
    first = endings(box, attack, inputs, symbolize=True)
    again = endings(box, attack, inputs)
    for one, other in zip(first, again, strict=True):
        same = bool(one.crash) == bool(other.crash) and (one.crash or one.plain == other.plain)
        yield one if same else None
