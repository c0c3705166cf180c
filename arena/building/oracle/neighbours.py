"""A bounded, seeded campaign around a PoC: further inputs that crash gold as it does, and harmless ones.

The fixed program is the judge: what it does not stand is no proof of the weakness. First each byte is changed
alone, then those that may change are changed together, so that some neighbours share as little with the PoC
as they can; then come mutations of all kinds. What is chosen is replayed once more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from arena.building.oracle.mutators import MUTATORS, same_class
from arena.building.oracle.spread import choose_far_apart, choose_in_turns
from harness.grade.apply import apply_gold, examine
from harness.grade.attack import RESOURCE_KINDS, attack_of, historical
from harness.grade.building import build_target
from harness.grade.decide import Decided
from harness.grade.environment import limits_of, prepare, sandbox
from harness.grade.initial_states import bring_gold, bring_start
from harness.grade.neighbours import InputEnding, endings
from harness.grade.ports import ResultCache
from harness.grade.verdict import TaskBroken
from harness.protocols import Sandbox
from harness.sandbox.base import Backend
from tasks.loader import Task
from tasks.neighbours import MAX_INPUT, MAX_PER_KIND, Neighbours

SECONDS = 60.0
BATCH = 64
# Inputs that a campaign looks at, at most.
MAX_TRIALS = 2048
# Bytes that are changed alone, evenly spread where the PoC has more.
MAX_SINGLE_BYTES = 256
# Called after each batch: how many were tried, how many crash, how many are harmless.
Say = Callable[[int, int, int], None]


class NoNeighbours(Exception):
    """The task can have none; the message says why."""


def _silent(_: int, _crashing: int, _harmless: int) -> None:
    return None


@dataclass
class _NeighbourTrials:
    """The state of a campaign: inputs and the change that produced each, in their order."""

    poc: bytes
    crashing: dict[bytes, str] = field(default_factory=dict)
    harmless: dict[bytes, str] = field(default_factory=dict)
    answers: set[tuple[int | None, str]] = field(default_factory=set)
    tried: int = 0

    def sort_batch(
        self, batch: dict[bytes, str], gold: list[InputEnding], fixed: list[InputEnding]
    ) -> None:
        """Sort a batch by how both programs ended."""
        self.tried += len(batch)
        for (data, how), ending, judged in zip(batch.items(), gold, fixed, strict=True):
            # A crash of the fixed program may be any other bug: nothing follows for this weakness.
            if judged.crash or judged.status is None or ending.status is None:
                continue
            if ending.crash:
                self.crashing[data] = how
            # Harmless is only what both programs answer alike; a patch is held to that answer later.
            elif ending.status_and_checksum == judged.status_and_checksum:
                self.harmless[data] = how
                self.answers.add(judged.status_and_checksum)


def search(
    backend: Backend,
    task: Task,
    cache: ResultCache,
    seed: int = 0,
    seconds: float = SECONDS,
    say: Say = _silent,
) -> Neighbours:
    """Neighbours of a task's PoC, up to a maximum of each kind; the same seed tries the same inputs.

    Ends after `MAX_TRIALS` inputs or `seconds`. Raises NoNeighbours, TaskBroken, SandboxFault.
    """
    trials = _NeighbourTrials(_read_poc(task))
    until = time.monotonic() + seconds
    attack = attack_of(task)
    with _open_targets(backend, task, cache) as boxes, ThreadPoolExecutor(2) as pool:
        for batch in _generate_batches(trials, Random(seed)):  # noqa: S311 - no secret
            inputs = list(batch)
            gold, fixed = pool.map(lambda box, i=inputs: endings(box, attack, i), boxes)
            trials.sort_batch(batch, gold, fixed)
            say(
                trials.tried,
                len(trials.crashing),
                len(trials.harmless),
            )
            if trials.tried >= MAX_TRIALS or time.monotonic() > until:
                break
        crashing = _confirm_inputs(boxes, task, choose_far_apart(trials.poc, trials.crashing))
        harmless = _confirm_inputs(boxes, task, choose_in_turns(trials.harmless))
    return Neighbours(crashing, harmless, trials.tried, len(trials.answers) > 1)


def select_crashing_at_pvic(
    backend: Backend, task: Task, cache: ResultCache, inputs: Sequence[bytes]
) -> tuple[bytes, ...]:
    """Those of `inputs` that crash PVIC as the PoC crashes gold: the weakness was there before the VIC.

    None of them where the fuzz target does not build at PVIC. Raises TaskBroken, SandboxFault.
    """
    if not inputs or task.spec.source.base:
        return ()
    image = prepare(backend, task).image
    with ExitStack() as stack:
        boxes = [stack.enter_context(sandbox(backend, image, limits_of(task))) for _ in range(2)]
        gold, start = boxes
        try:
            bring_start(start, task, bring_gold(gold, task))
            build_target(start, task, "the fuzz target does not build", cache)
        except Decided:
            return ()
        endings_before = endings(start, attack_of(task), list(inputs), symbolize=True)
    return tuple(
        data
        for data, ending in zip(inputs, endings_before, strict=True)
        if ending.crash and historical(task, ending.crash)
    )


def _confirm_inputs(boxes: list[Sandbox], task: Task, chosen: list[bytes]) -> tuple[bytes, ...]:
    """Those that show the same once more: the historical crash, or how the fixed program ends."""
    attack = attack_of(task)
    gold = endings(boxes[0], attack, chosen, symbolize=True)
    fixed = endings(boxes[1], attack, chosen)
    proven = [
        data
        for data, ending, judged in zip(chosen, gold, fixed, strict=True)
        if not judged.crash
        and (
            historical(task, ending.crash)
            if ending.crash
            else ending.status_and_checksum == judged.status_and_checksum
        )
    ]
    return tuple(proven[:MAX_PER_KIND])


def _read_poc(task: Task) -> bytes:
    if not task.poc or "{poc}" not in task.spec.poc.command:
        raise NoNeighbours(f"{task.id}: the PoC is no file of the task")
    if len(task.poc) > MAX_INPUT:
        raise NoNeighbours(f"{task.id}: the PoC has more than {MAX_INPUT >> 20} MiB")
    if task.spec.poc.signature.kind in RESOURCE_KINDS.values():
        kind = task.spec.poc.signature.kind
        raise NoNeighbours(f"{task.id}: a {kind} is told by its limit, and that takes too long")
    return task.poc


@contextmanager
def _open_targets(backend: Backend, task: Task, cache: ResultCache) -> Iterator[list[Sandbox]]:
    """Sandboxes with the fuzz target that is expected to crash, and with the fixed target."""
    image = prepare(backend, task).image
    with ExitStack() as stack:
        boxes = [stack.enter_context(sandbox(backend, image, limits_of(task))) for _ in range(2)]
        crashing, safe = boxes
        try:
            files = bring_gold(safe if task.spec.source.base else crashing, task)
            if task.spec.source.base:
                bring_start(crashing, task, files)
            else:
                apply_gold(safe, task, examine(task.solution("fixed")))
            for box in boxes:
                build_target(box, task, "the fuzz target does not build", cache)
        except Decided as decided:
            raise TaskBroken(f"{task.id}: {decided.reason}") from decided
        yield boxes


def _generate_batches(trials: _NeighbourTrials, chance: Random) -> Iterator[dict[bytes, str]]:
    """New inputs, each with the name of the change that produced it."""
    inputs_tried = {trials.poc}
    makers = _change_poc(trials, chance)
    while True:
        batch: dict[bytes, str] = {}
        for candidate, how in islice(makers, BATCH * 4):
            if candidate not in inputs_tried and 0 < len(candidate) <= MAX_INPUT:
                inputs_tried.add(candidate)
                batch[candidate] = how
            if len(batch) == BATCH:
                break
        if not batch:
            return
        yield batch


def _change_poc(trials: _NeighbourTrials, chance: Random) -> Iterator[tuple[bytes, str]]:
    """First each byte alone; then, for ever, those together that crash alone, and mutations of all kinds."""
    poc = trials.poc
    step = max(1, len(poc) // MAX_SINGLE_BYTES)
    for at in range(0, len(poc), step):
        byte = same_class(poc[at : at + 1], chance)
        yield poc[:at] + byte + poc[at + 1 :], "one_byte"
    while True:
        yield _combine_changes(trials, chance), "many_bytes"
        sources = [poc, *islice(reversed(trials.crashing), MAX_SINGLE_BYTES)]
        for mutator in MUTATORS:
            yield mutator(chance.choice(sources), chance), mutator.__name__


def _combine_changes(trials: _NeighbourTrials, chance: Random) -> bytes:
    """Some of the bytes changed that crash when they are changed alone."""
    alone = [data for data, how in trials.crashing.items() if how == "one_byte"]
    share = chance.choice((1.0, 0.75, 0.5, 0.25))
    combined = bytearray(trials.poc)
    for data in alone:
        at = next(i for i, byte in enumerate(data) if byte != trials.poc[i])
        if chance.random() < share:
            combined[at] = same_class(trials.poc[at : at + 1], chance)[0]
    return bytes(combined)
