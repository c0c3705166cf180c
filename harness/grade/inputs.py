"""Grading an input that shall reproduce a crash: replayed right before the fix, and with it.

Nothing that the agent wrote is built or run: the input is data for two programs of the developers', each in a
separate sandbox. Both are built once and stored as images.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from harness.command import Command
from harness.grade.attack import NotRun, attack_of, historical, replay
from harness.grade.bounded import read_bounded
from harness.grade.building import ROOM, build_target, ending, list_setup, tail
from harness.grade.candidate import read_input
from harness.grade.decide import Cause, Decided, label_input
from harness.grade.environment import Environment, limits_of, sandbox
from harness.grade.evidence import ReproduceEvidence
from harness.grade.git_changes import GIT_ENV, TIMEOUT_S
from harness.grade.initial_states import bring_gold, bring_start
from harness.grade.oracle import GoldFiles
from harness.grade.ports import ResultCache, digest_of
from harness.grade.verdict import InputLabel, TaskBroken
from harness.grade.version import GRADER_VERSION
from harness.protocols import Sandbox
from harness.sandbox import archive
from harness.sandbox.base import Backend
from parsers.crashes import Crash
from tasks.kinds import INPUT
from tasks.loader import Task

REPOSITORY = "arena/target"
# In an empty repository: what is beside the input cannot keep it from being applied.
# Applies what a patch says of the input, and nothing else, in a repository of its own.
UNPACK = f"""\
mkdir {ROOM}/alone && cd {ROOM}/alone && git init -q . || exit 125
git apply --whitespace=nowarn --include={INPUT} {ROOM}/patch
"""
_BUILDING: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


@dataclass(frozen=True)
class TargetPair:
    """Images with the fuzz target built, before the fix and with it.

    output: the case's crash is in what the target prints, and in no report.
    """

    before: str
    after: str
    output: bool


@dataclass(frozen=True)
class InputVerdict:
    """What an input came to, with its evidence."""

    label: InputLabel
    reason: str
    evidence: ReproduceEvidence = field(default_factory=ReproduceEvidence)


def judge(
    backend: Backend, task: Task, environment: Environment, patch: bytes, cache: ResultCache
) -> InputVerdict:
    """The verdict on the input that `patch` leaves. Raises TaskBroken or a SandboxFault."""
    pair = targets(backend, task, environment, cache)
    evidence: ReproduceEvidence = {}
    with sandbox(backend, pair.before, limits_of(task)) as box:
        try:
            data = take_input(box, patch, evidence)
        except Decided as decided:
            return InputVerdict(InputLabel.NO_OUTPUT, decided.reason, evidence)
        evidence |= {"bytes": len(data), "input": cache.keep(data)}
        before = _replay_target(box, task, data, pair, cache, evidence, "before")
    with sandbox(backend, pair.after, limits_of(task)) as box:
        after = _replay_target(box, task, data, pair, cache, evidence, "after")
    is_historical = before is not None and historical(task, before)
    return InputVerdict(*label_input(before, is_historical, after), evidence)


def take_input(box: Sandbox, patch: bytes, evidence: ReproduceEvidence) -> bytes:
    """The input's bytes. Raises Decided where the patch leaves none."""
    candidate = read_bounded("the patch", read_input, patch, INPUT)
    evidence["ignored"] = list(candidate.others)
    if not candidate.creates_file:
        first = next(iter(candidate.others), "")
        what = f"it changes {first}" if first else "the patch makes no file"
        raise Decided(Cause.EMPTY, f"no input {INPUT!r} was left: {what}")
    head = list_setup(box, {"patch": candidate.section})
    done = box.exec(Command(f"mkdir -p {ROOM}; {head}{UNPACK}", "/", TIMEOUT_S, GIT_ENV))
    files = archive.unpack(box.get([INPUT], f"{ROOM}/alone")) if done.ok else {}
    if INPUT not in files:
        reason = tail(done.output, 1) or ending(done)
        raise Decided(Cause.EMPTY, f"no plain file {INPUT!r} comes of the patch: {reason}")
    return files[INPUT]


def _replay_target(
    box: Sandbox,
    task: Task,
    data: bytes,
    pair: TargetPair,
    cache: ResultCache,
    evidence: ReproduceEvidence,
    when: Literal["before", "after"],
) -> Crash | None:
    attack = replace(attack_of(task), poc=data)
    try:
        crash, replay_evidence = replay(box, attack, cache, trust_output=pair.output)
    except NotRun as error:
        raise TaskBroken(f"{task.id}: poc.command cannot be run: {error}") from error
    evidence[when] = {**replay_evidence, "crash": crash.to_json() if crash else None}
    return crash


def targets(
    backend: Backend, task: Task, environment: Environment, cache: ResultCache
) -> TargetPair:
    """The fuzz target before the fix and with it, built unless it was before.

    Raises TaskBroken when either does not build, or the PoC does not distinguish them.
    """
    key = digest_of(str(GRADER_VERSION), task.gold_digest, environment.identity)
    before, after = (f"{REPOSITORY}:{key[:32]}-{when}" for when in ("before", "after"))
    with _BUILDING[f"{backend.name} {key}"]:
        if None in (backend.find(before), backend.find(after)):
            _build(backend, task, environment, before, after, cache)
        fact = cache.fact(f"targets:{key}")
        if fact is None:
            fact = _compare_states(backend, task, before, after, cache)
            cache.put_fact(f"targets:{key}", fact)
    return TargetPair(before, after, bool(fact["output"]))


def _build(
    backend: Backend,
    task: Task,
    environment: Environment,
    before: str,
    after: str,
    cache: ResultCache,
) -> None:
    files = GoldFiles(b"", ())
    try:
        # Gold first, since it yields the oracle's files that the start is built with.
        for name in (after, before):
            with sandbox(backend, environment.image, limits_of(task)) as box:
                if name == after:
                    files = bring_gold(box, task)
                else:
                    bring_start(box, task, files)
                build_target(box, task, "the fuzz target does not build", cache)
                box.snapshot(name, {"io.arena.task": task.id})
    except Decided as decided:
        raise TaskBroken(f"{task.id}: {decided.reason}") from decided


def _compare_states(
    backend: Backend, task: Task, before: str, after: str, cache: ResultCache
) -> dict[str, Any]:
    """Whether the PoC's crash is in the output only. Raises TaskBroken."""
    replays = []
    for image in (before, after):
        with sandbox(backend, image, limits_of(task)) as box:
            try:
                replays.append(replay(box, attack_of(task), cache, trust_output=True))
            except NotRun as error:
                raise TaskBroken(f"{task.id}: poc.command cannot be run: {error}") from error
    (crash, evidence), (still, _) = replays
    if crash is None or not historical(task, crash):
        raise TaskBroken(f"{task.id}: the PoC does not show the stated crash before the fix")
    if still is not None:
        raise TaskBroken(f"{task.id}: the PoC crashes with the fix too: {still.kind}")
    return {"output": evidence["via"] == "output"}
