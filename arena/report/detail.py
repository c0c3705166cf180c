"""All stored facts of an attempt, in a JSON object for people and machines.

Missing or broken parts are listed in `problems`, and never raise: an attempt of a hostile agent must
still be viewable.
"""

from __future__ import annotations

import shlex
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.report.details import bounds, changes, checks, others, references, steps
from arena.report.details.bounds import (
    SizeBudget,
    clean,
    list_or_empty,
    mapping,
    select_entries,
    words,
)
from arena.report.text import visible
from arena.store.model import Attempt, TaskFacts
from arena.vocabulary import Meaning, Vocabulary, vocabulary_or_bare
from harness.grade.verdict import EVIDENCE

if TYPE_CHECKING:
    from arena.store.store import Store
    from arena.store.tables import RunRow

FORM = 1
# Parts of the evidence that are shown by sections of their own, or as downloads.
SHOWN_APART = (*EVIDENCE, "artefacts", "audit")
# Characters of all texts of a trajectory.
TRAJECTORY = 1_500_000
LOGS = 250_000
INSTRUCTION = 200_000
# What an artefact raises that is missing, cut or broken: gzip has a kind of its own for each.
UNREADABLE = (KeyError, OSError, EOFError, ValueError, zlib.error)
USAGE_OTHERS = ("claimed", "difference")


def detail(store: Store, attempt: str) -> dict[str, Any]:
    """The attempt whose id begins with `attempt`, as JSON. Raises UnknownRun when it is none or several.

    `download` is None; who serves artefacts puts the start of their addresses there.
    """
    record = store.attempt(attempt)
    run = store.run(record.run)
    # One reader for all parts, so that their problems come together.
    source = _Source(store)
    facts = _facts(source, record)
    vocabulary = vocabulary_or_bare(run.track)
    output = {
        "form": FORM,
        "attempt": record.id,
        "run": run.id,
        "track": run.track,
        "pack": clean(run.pack),
        "key": {
            name: clean(part) if isinstance(part, str) else part for name, part in _key(record)
        },
        **_verdict(record, vocabulary),
        "node": clean(record.node),
        "cost": {
            n: bounds.number(getattr(record, n)) for n in ("usd", "tokens", "seconds", "tries")
        },
        "usage": _usage(record),
        "provenance": _provenance(record),
        "task": _task(facts),
        # An instruction that is too long is cut at its end: the task is stated at its beginning.
        "instruction": SizeBudget(INSTRUCTION).text(facts.instruction, INSTRUCTION, tail=0.0),
        "flags": checks.flags(record.flags, record.evidence.get("audit")),
        "found": [words(cwe, 40) for cwe in record.new_cwes],
        **_work(record, run.track, source, facts.language),
        "references": references.references(store, run, record.key.task),
        **_checks(record, run.track, source),
        "trajectory": _trajectory(record, source),
        "artefacts": sorted(artefacts(record)),
        "sizes": {name: source.size(digest) for name, digest in artefacts(record).items()},
        "lines": _lines(record, run),
        "download": None,
    }
    # Last: all parts have been read by now.
    return output | {"problems": source.problems}


def artefacts(attempt: Attempt) -> dict[str, str]:
    """The downloads of an attempt, name -> digest: the agent's solution, logs, and reports of tests."""
    named = attempt.artefacts()
    # Tests are recorded as a mapping with `reports`, or as a list of tests with a report each: both are read.
    tests = attempt.evidence.get("tests")
    reports = mapping(mapping(tests).get("reports"))
    named |= {f"tests/{name}": digest for name, digest in reports.items()}
    named_tests = (mapping(test) for test in list_or_empty(tests))
    named |= {
        f"tests/{item.get('id')}": item["report"] for item in named_tests if item.get("report")
    }
    named_artefacts: dict[str, str] = {}
    for name, digest in named.items():
        # Evidence may come from an imported run: what is no digest is left out.
        if isinstance(digest, str):
            named_artefacts[
                _distinguish(visible(clean(name)).replace("\n", " "), named_artefacts)
            ] = digest
    return named_artefacts


def _distinguish(name: str, others: Mapping[str, str]) -> str:
    """The name, with a number if a different name looks the same after `visible`."""
    # More names than there are others, so that one is always free.
    same = (name, *(f"{name}~{n}" for n in range(2, len(others) + 3)))
    return next(candidate for candidate in same if candidate not in others)


@dataclass
class _Source:
    """Reads artefacts; what cannot be read is noted."""

    store: Store
    problems: list[str] = field(default_factory=list)

    def data(self, digest: Any, what: str = "an artefact") -> bytes | None:
        # An attempt that left nothing is no problem, unlike one whose artefact is lost.
        if not isinstance(digest, str) or not digest:
            return None
        try:
            return self.store.blob(digest)
        except UNREADABLE as error:
            self.problems.append(f"{what} cannot be read ({type(error).__name__})")
            return None

    def size(self, digest: str) -> int | None:
        """Bytes of an artefact; None where it is not here."""
        try:
            return self.store.size(digest)
        except UNREADABLE:
            return None

    def text(self, digest: Any) -> str | None:
        data = self.data(digest, "a log or a report")
        return None if data is None else data.decode("utf-8", "replace")


def _lines(attempt: Attempt, run: RunRow) -> list[str]:
    """Commands that go on from here; none that a hostile name could make into others."""
    pack = next(references.pack_places(run.settings, run.pack))
    commands = [["show", attempt.id]]
    # Only what the gateway recorded can be replayed.
    commands += [["replay", attempt.id]] * ("record" in attempt.artefacts())
    patches = attempt.patch and vocabulary_or_bare(run.track).patches
    shell = ["tasks", "shell", attempt.key.task, "--pack", pack, "--patch", attempt.id]
    commands += [shell] * bool(patches)
    # Control characters in a name could run something as soon as the line is pasted into a terminal.
    return [shlex.join(["arena", *line]) for line in commands if all(map(str.isprintable, line))]


def _key(attempt: Attempt) -> list[tuple[str, Any]]:
    facts = {**vars(attempt.key), "model": attempt.model, "column": attempt.column}
    return list(facts.items())


def _facts(source: _Source, attempt: Attempt) -> TaskFacts:
    # Reports can do without the facts of a task, so they are no reason to show nothing.
    bare = TaskFacts(attempt.key.task)
    try:
        return source.store.tasks(attempt.run, attempt.key.task).get(attempt.key.task, bare)
    except UNREADABLE as error:
        source.problems.append(f"the instruction cannot be read ({type(error).__name__})")
        return bare


def _verdict(attempt: Attempt, vocabulary: Vocabulary) -> dict[str, Any]:
    meanings: Mapping[str, Meaning] = {meaning.label: meaning for meaning in vocabulary.meanings}
    meaning = meanings.get(attempt.label or "")
    ended = attempt.finished and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(attempt.finished))
    return {
        "label": attempt.label,
        "meaning": meaning.meaning if meaning else "",
        "kind": str(meaning.kind) if meaning else "",
        "health": attempt.health,
        "reason": words(attempt.reason),
        "ended": words(attempt.ended, 80),
        "finished": ended or None,
        "score": bounds.number(attempt.score),
        "score_means": vocabulary.score,
    }


def _usage(attempt: Attempt) -> dict[str, Any]:
    """The metered usage, and apart from it the agent's claims and the difference."""
    budget = SizeBudget(20_000, 400)
    usage = mapping(attempt.usage)
    # The agent's own claims must not be read as measured.
    metered = {name: value for name, value in usage.items() if name not in USAGE_OTHERS}
    return {"metered": budget.plain(metered), **select_entries(usage, USAGE_OTHERS, budget)}


def _provenance(attempt: Attempt) -> list[list[str]]:
    """On what the attempt rests: [name, value] of each fact that is recorded."""
    return [[label, words(text)] for label, text in attempt.provenance.describe_facts()]


def _task(facts: TaskFacts) -> dict[str, Any]:
    names = ("title", "language", "project", "domain", "image")
    texts = {name: words(getattr(facts, name), 2_000) for name in names}
    return texts | {"cwes": [words(cwe, 40) for cwe in facts.cwes]}


def _work(attempt: Attempt, track: str, source: _Source, language: str) -> dict[str, Any]:
    """The agent's work: a patch of a repository, or a program text."""
    data = source.data(attempt.patch, "what the agent left")
    if data is None:
        return {"patch": None, "program": None}
    if vocabulary_or_bare(track).patches:
        return {"patch": changes.shown_patch(data), "program": None}
    evidence = attempt.evidence
    findings = checks.findings(evidence.get("findings")) + checks.detector_findings(
        evidence.get("finding")
    )
    return {
        "patch": None,
        "program": changes.shown_program(data, language) | {"findings": findings},
    }


def _checks(attempt: Attempt, track: str, source: _Source) -> dict[str, Any]:
    evidence = mapping(attempt.evidence)
    budget = SizeBudget(LOGS)
    if not vocabulary_or_bare(track).patches:
        rest = {name: value for name, value in evidence.items() if name not in SHOWN_APART[-2:]}
        return {"evidence": others.tree(rest), "tables": others.tables(rest)}
    rest = {name: value for name, value in evidence.items() if name not in SHOWN_APART}
    parts = ("apply", "oracle", "control", "neighbours")
    check_facts = {name: evidence[name] for name in parts if name in evidence}
    return {
        "build": checks.step(evidence.get("build"), source.text, budget),
        "tests": checks.tests(evidence.get("tests"), source.text, budget),
        "crash": checks.crash(evidence.get("poc"), source.text, budget),
        "sast": checks.sast(evidence.get("sast"), budget),
        "evidence": others.tree(check_facts | rest),
        "tables": [],
    }


def _trajectory(attempt: Attempt, source: _Source) -> dict[str, Any] | None:
    """The trajectory of the gateway's record, or the agent's in the same form; None without both."""
    artefacts = attempt.artefacts()
    # The gateway's record first: an agent may have written anything into its own.
    for name in ("atif", "trajectory"):
        data = source.data(artefacts.get(name), f"the artefact {name}")
        if not data:
            continue
        try:
            return steps.trajectory(data, SizeBudget(TRAJECTORY, 40_000)) | {"artefact": name}
        except steps.NoTrajectory as error:
            if name == "atif":  # an agent's own form need not be this one
                source.problems.append(f"the artefact atif is no trajectory: {error}")
    return None
