"""Attempts that a foreign program ran and judged, as a run of the store.

A foreign verdict is no label of ours. It is stored with `foreign:` before it, in a run of the
track `foreign`, which has no vocabulary: such a run has no rates. What the patches are worth is decided by
grading them here (`arena import --pack`, `arena grade`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from arena.exchange.atif import ARTEFACT
from arena.exchange.columns import value_of_type
from arena.exchange.opening import ImportRefused
from arena.report.text import one_line
from arena.store.faults import RunBusy
from arena.store.model import Attempt, AttemptKey, TaskFacts, attempt_id
from arena.store.provenance import MAX_TEXT, Provenance
from arena.store.tables import clean
from harness.grade.verdict import Health

if TYPE_CHECKING:
    from arena.store.store import Store

TRACK = "foreign"
MARK = "foreign: "
NO_VERDICT = "no verdict"
TWO_VERDICTS = "two verdicts"
MAX_LABEL = 40
# Characters of a task's, an agent's or a model's name.
MAX_NAME = 200
MAX_ATTEMPTS = 100_000
MAX_REASON = 2000
MAX_TOKENS = (1 << 62) - 1
MAX_INSTRUCTION = 100_000
MAX_PROBLEMS = 1000
DIGITS = 12


@dataclass(frozen=True)
class ForeignAttempt:
    """The record of an attempt by a foreign program; "" and None where it records nothing.

    identity: that program's key for the attempt, within the import; origin: the file, for messages;
    number: of the repetition, from 0; verdict: its original wording; fault: that program's reason why the
    attempt has no result; scores: its numbers and words by name; usage: as `harness.gateway.ledger.Usage`.
    atif: returns the trajectory as JSON, to save memory. finished: seconds since the epoch.
    """

    identity: str
    origin: str
    task: str
    agent: str
    model: str = ""
    number: int = 0
    verdict: str = ""
    reason: str = ""
    fault: str = ""
    ended: str = ""
    patch: bytes | None = None
    instruction: str = ""
    scores: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    finished: float | None = None
    agent_version: str = ""
    atif: bytes | None = None

    @property
    def trajectory(self) -> dict[str, Any] | None:
        trajectory: dict[str, Any] | None = json.loads(self.atif) if self.atif is not None else None
        return trajectory

    @property
    def key(self) -> AttemptKey:
        task, agent, model = map(storable_name, (self.task, self.agent, self.model))
        return AttemptKey(task, agent, model, replicate=self.number)

    def facts(self) -> dict[str, Any]:
        """Facts to store in the evidence."""
        outcome = {"verdict": self.verdict, "reason": self.reason[:MAX_REASON], "fault": self.fault}
        return {"origin": self.origin, **outcome, "scores": self.scores}


@dataclass(frozen=True)
class ForeignRun:
    """The result of a reader. source: the program's name and version; pack: its data set, "" where unnamed.

    problems: what was left out or is doubtful, a line each.
    """

    source: str
    attempts: Sequence[ForeignAttempt]
    problems: Sequence[str] = ()
    pack: str = ""


class ExchangeReader(Protocol):
    """A reader of a foreign program's files; `help` is a line for people."""

    name: str
    help: str

    def takes(self, path: Path) -> bool:
        """Whether the file or folder looks like the output of this program. Raises nothing."""
        ...

    def read(self, path: Path) -> ForeignRun:
        """Raises PartUnreadable where nothing can be read."""
        ...


@dataclass(frozen=True)
class ForeignReader:
    """A reader that is two functions."""

    name: str
    help: str
    takes: Callable[[Path], bool]
    read: Callable[[Path], ForeignRun]


def storable_name(name: str) -> str:
    """A name that a store takes: a line of text of bounded length, long names with a digest at the end."""
    # Names are shown on terminals and in tables.
    shown = " ".join("".join(c if c.isprintable() else "?" for c in clean(name)).split())
    if len(shown) <= MAX_NAME:
        return shown
    return f"{shown[: MAX_NAME - 9]}-{hashlib.sha256(shown.encode()).hexdigest()[:8]}"


def merge_attempts(run: ForeignRun) -> ForeignRun:
    """The attempts without repetitions, numbered; collisions are reported among the problems.

    Two records of the same identity with different verdicts get the verdict `two verdicts`: neither counts.
    """
    problems = list(run.problems)
    by_identity: dict[str, ForeignAttempt] = {}
    for attempt in run.attempts:
        if not storable_name(attempt.task):
            problems.append(f"{attempt.origin}: names no task: left out")
            continue
        before = by_identity.get(attempt.identity)
        if before is None:
            by_identity[attempt.identity] = attempt
        # Two files of an import may have the same record.
        elif (before.verdict, before.patch) == (attempt.verdict, attempt.patch):
            problems.append(f"{attempt.origin}: {attempt.task}: twice the same attempt: once taken")
        else:
            verdicts = f"{before.verdict or NO_VERDICT} in {before.origin}, {attempt.verdict or NO_VERDICT}"
            problems.append(f"{attempt.origin}: {attempt.task}: two verdicts: {verdicts} here")
            by_identity[attempt.identity] = replace(before, verdict=TWO_VERDICTS, reason=verdicts)
    if len(by_identity) > MAX_ATTEMPTS:
        raise ImportRefused(f"{run.source}: more than {MAX_ATTEMPTS} attempts")
    numbered = _number_attempts(by_identity.values(), problems)
    return replace(run, attempts=numbered, problems=[one_line(problem) for problem in problems])


def _number_attempts(
    attempts: Iterable[ForeignAttempt], problems: list[str]
) -> list[ForeignAttempt]:
    """The attempts, each under a unique key."""
    by_key: dict[AttemptKey, ForeignAttempt] = {}
    colliding: list[ForeignAttempt] = []
    highest: dict[AttemptKey, int] = {}
    for attempt in attempts:
        if attempt.key in by_key:
            colliding.append(attempt)
            continue
        by_key[attempt.key] = attempt
        column = replace(attempt.key, replicate=0)
        highest[column] = max(highest.get(column, 0), attempt.number)
    # After all others, so that the numbers which programs recorded stay theirs.
    for attempt in colliding:
        column = replace(attempt.key, replicate=0)
        highest[column] = number = highest[column] + 1
        note = f"number {attempt.number + 1} is there twice: taken as {number + 1}"
        problems.append(f"{attempt.origin}: {storable_name(attempt.task)}: {note}")
        numbered = replace(attempt, number=number)
        by_key[numbered.key] = numbered
    return list(by_key.values())


def store_foreign(store: Store, run: ForeignRun, origin: str, name: str = "") -> tuple[str, bool]:
    """Put the attempts into a new run; returns its id and whether it is new.

    The default id derives from the content, so that the same import again returns the same run. Raises
    ImportRefused where a different run has the name, and where there is no attempt.
    """
    if not run.attempts:
        raise ImportRefused(f"{origin}: no attempt in it")
    digest = _digest(run)
    problems = list(run.problems)[:MAX_PROBLEMS]
    settings = _clean_value({TRACK: {"source": run.source, "problems": problems, "digest": digest}})
    id_ = name or f"{TRACK}-{digest[:DIGITS]}"
    # A time to come would make it the latest run for as long as it is not past.
    created = min(max(a.finished or 0.0 for a in run.attempts), time.time())
    row = {
        "id": id_,
        "pack": storable_name(run.pack or run.source),
        "track": TRACK,
        "settings": settings,
    }
    keys = [attempt.key for attempt in run.attempts]
    rows = [_attempt(store, id_, attempt) for attempt in run.attempts]
    if all(present.id != id_ for present in store.runs()):
        with suppress(RunBusy):  # another process has just put one there
            full = {**row, "created": created, "spent_seconds": 0.0}
            store.put_run(full, _facts(run.attempts), keys, rows)
            return id_, True
    if store.run(id_).settings.get(TRACK, {}).get("digest") != digest:
        raise ImportRefused(
            f"{origin}: run {id_!r} is in the store and another one; name a new id in --as"
        )
    return id_, False


def _facts(attempts: Iterable[ForeignAttempt]) -> list[TaskFacts]:
    facts_by_task: dict[str, TaskFacts] = {}
    for attempt in attempts:
        instruction = clean(attempt.instruction[:MAX_INSTRUCTION])
        facts_by_task.setdefault(
            attempt.key.task, TaskFacts(attempt.key.task, instruction=instruction)
        )
    return list(facts_by_task.values())


def _attempt(store: Store, run: str, attempt: ForeignAttempt) -> Attempt:
    artefacts = {}
    if attempt.atif is not None:
        artefacts[ARTEFACT] = store.keep(attempt.atif)
    usage = {name: value for name, value in attempt.usage.items() if value is not None}
    tokens = sum(
        value_of_type(usage.get(name), int) or 0 for name in ("input_tokens", "output_tokens")
    )
    evidence = {TRACK: attempt.facts(), **({"artefacts": artefacts} if artefacts else {})}
    return Attempt(
        attempt_id(run, attempt.key),
        run,
        attempt.key,
        health=Health.INFRA if attempt.fault else Health.OK,
        # An attempt without a result has no label, as with our own.
        label=None if attempt.fault else label_of(attempt.verdict),
        reason=clean((attempt.fault or attempt.reason)[:MAX_REASON]),
        patch=None if attempt.patch is None else store.keep(attempt.patch),
        ended=attempt.ended,
        usage=usage,
        evidence=_clean_value(evidence),
        seconds=max(0.0, value_of_type(attempt.seconds, float) or 0.0),
        # A negative amount would lower the cost of others in a sum.
        usd=max(0.0, value_of_type(usage.get("usd"), float) or 0.0),
        tokens=min(max(0, tokens), MAX_TOKENS),
        tries=1,
        finished=attempt.finished,
        provenance=Provenance(agent_version=clean(attempt.agent_version)[:MAX_TEXT]),
    )


def _clean_value(value: Any) -> Any:
    """The JSON value with every text such that a database takes it."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _clean_value(each) for name, each in value.items()}
    return [_clean_value(each) for each in value] if isinstance(value, list) else value


def label_of(verdict: str) -> str:
    """The verdict for display: never an arena label, whatever the foreign program calls it."""
    return (MARK + (storable_name(verdict) or NO_VERDICT))[:MAX_LABEL]


def _digest(run: ForeignRun) -> str:
    lines = []
    for attempt in run.attempts:
        patch = hashlib.sha256(attempt.patch or b"").hexdigest()
        content = {**asdict(replace(attempt, patch=None, atif=None)), "patch": patch}
        # Not the trajectory, which is made here and may change with a version of this program.
        lines.append(json.dumps(content, sort_keys=True))
    # Sorted, since the order of files says nothing.
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()
