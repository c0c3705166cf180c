"""A run's file checked against its statement, and drawn attempts of it made again: what agrees.

Everything in the file is hostile: it names a pack and agents, and neither is opened unless a user allows it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.exchange.attestation import read_contents, statement_problems
from arena.exchange.opening import ImportRefused, WholeArchive, open_archive
from arena.exchange.signing import SignatureRefused, Signer, check_signature
from arena.exchange.whole import SIGNATURE, STATEMENT
from arena.jobs import Stage
from arena.replays import ReplayResult, replay_attempt
from arena.session import Session
from arena.store import solutions
from arena.store.model import Attempt, StoredSolution
from arena.store.provenance import FACTS, Provenance
from arena.tracks.passing import graded
from harness.grade.grader import INFRA
from harness.grade.verdict import Health
from parsers import registry

BUILT_IN_AGENTS = "harness.agents"
Say = Callable[[str], None]


@dataclass
class FileCheck:
    """What a file is by its own statement. problems: one line each, none if all agrees."""

    run: str = ""
    attempts: int = 0
    subjects: int = 0
    signer: Signer | None = None
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Regraded:
    """A patch graded again. label: "" where it could not be, with the reason.

    differing: facts on which the verdict rests, by name, that are others here; labels may then differ too.
    """

    attempt: str
    recorded_label: str
    label: str
    agrees: bool
    reason: str
    differing: tuple[str, ...]


def check_file(path: Path, keys: Path | None = None) -> FileCheck:
    """Check every byte that a file holds against its manifest, statement and signature.

    keys: as `check_signature` has it; with it an unsigned file is a problem. Raises OSError, and ValueError
    where `keys` cannot be read or ssh-keygen is missing.
    """
    check = FileCheck()
    try:
        with open_archive(path) as whole:
            check.run = whole.run["id"]
            contents = read_contents(whole)
            for digest in whole.artefacts:
                whole.blob(digest)
            check.attempts = whole.manifest["counts"]["attempts"]
            check.subjects = len(contents.subjects)
            if STATEMENT not in whole.archive.namelist():
                check.problems.append(f"no {STATEMENT} in it: nothing says what it should hold")
            problems = statement_problems(whole, contents)
            check.problems += [f"{STATEMENT}: {problem}" for problem in problems]
            check.signer = _check_signer(whole, keys, check.problems)
    except ImportRefused as refused:
        check.problems.append(str(refused).removeprefix(f"{path}: "))
    return check


def _check_signer(whole: WholeArchive, keys: Path | None, problems: list[str]) -> Signer | None:
    """Whose signature it is, None without one; adds to the problems."""
    statement, signature = whole.statement(), whole.signature()
    if signature is None:
        if keys is not None:
            problems.append(f"no {SIGNATURE} in it: it is not signed")
        return None
    try:
        return check_signature(statement[0] if statement else b"", signature, keys)
    except SignatureRefused as refused:
        problems.append(f"{SIGNATURE}: {refused}")
        return None


def draw_attempts(
    attempts: Sequence[Attempt], count: int, seed: int
) -> tuple[list[Attempt], list[Attempt]]:
    """Up to `count` attempts whose patch can be graded again, and as many whose record can be replayed."""
    draw = random.Random(seed)  # noqa: S311 - the seed is printed, so that a draw can be repeated
    patched = [attempt for attempt in attempts if attempt.label is not None and attempt.patch]
    recorded = [attempt for attempt in attempts if "record" in attempt.artefacts()]
    return tuple(draw.sample(each, min(count, len(each))) for each in (patched, recorded))  # type: ignore[return-value]


def is_built_in_agent(agent: str) -> bool:
    """Whether nothing but its name comes from the file: no command, class or settings."""
    return agent in registry.names(BUILT_IN_AGENTS)


def regrade_attempts(session: Session, attempts: Sequence[Attempt]) -> Iterator[Regraded]:
    """Grade again what these attempts of the session's store left; no verdict of theirs is used."""
    for attempt in attempts:
        try:
            yield _regrade(session, attempt)
        except (*INFRA, KeyError, ValueError) as fault:
            reason = f"{type(fault).__name__}: {fault}"[:300]
            yield Regraded(attempt.id, attempt.label or "", "", False, reason, ())


def _regrade(session: Session, attempt: Attempt) -> Regraded:
    evidence = attempt.evidence
    left = StoredSolution(
        attempt.patch or "",
        attempt.ended,
        attempt.usage,
        attempt.trajectory,
        evidence.get("agent", {}),
        evidence.get("artefacts", {}),
    )
    solution = solutions.load(session.store, left)
    say = _steps_of(session, attempt)
    verdict = graded(lambda: session.track.grade(attempt.key, solution, say))
    here = session.track.provenance(attempt.key, Stage.GRADE)
    agrees = verdict.health == Health.OK and verdict.label == attempt.label
    return Regraded(
        attempt.id,
        attempt.label or "",
        str(verdict.label or ""),
        agrees,
        "" if agrees else verdict.reason,
        _differing_facts(attempt.provenance, here),
    )


def _steps_of(session: Session, attempt: Attempt) -> Say:
    return lambda step: session.say(f"{attempt.id}: {step}")


def _differing_facts(recorded: Provenance, here: Provenance) -> tuple[str, ...]:
    """Names of the facts of a verdict that both have and that are not the same."""
    pairs = (
        (fact.name, getattr(recorded, fact.name), getattr(here, fact.name))
        for fact in FACTS
        if fact.of_verdict
    )
    return tuple(name for name, before, now in pairs if before and now and before != now)


def replay_attempts(session: Session, attempts: Sequence[Attempt]) -> Iterator[ReplayResult | str]:
    """Repeat attempts of the session's store from their records; a text says why one could not be."""
    for attempt in attempts:
        try:
            yield replay_attempt(session, attempt, _steps_of(session, attempt))
        except (*INFRA, KeyError, ValueError) as fault:
            yield f"{attempt.id}: {type(fault).__name__}: {fault}"[:300]
