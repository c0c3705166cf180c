"""An in-toto statement on a run's file: each part with its SHA-256, and what the verdicts rest on.

(in-toto Attestation Framework, Statement v1; the predicate is this project's, docs/exchange.md.)
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from arena.exchange.whole import ATTEMPTS, FOLDER, MANIFEST, TASKS
from arena.store.model import Attempt
from arena.store.provenance import Provenance, distinct
from arena.version import installed

if TYPE_CHECKING:
    from arena.exchange.opening import WholeArchive

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:secure-coding-arena:run:v1"
# Artefacts of an attempt that are subjects by its id, besides being members of the file.
ARTEFACT_SUBJECTS = {"patch": "patches", "record": "records"}
# Fields of the predicate that follow from the file's lists, and are compared with them.
DERIVED = ("run", "counts", "labels", "healths", "provenance", "tasks")


@dataclass
class FileContents:
    """The content of a statement on a file, collected while its attempts are written or read.

    subjects: name -> SHA-256. A verdict's is that of the attempt's line in `attempts.jsonl`, with its end of
    line.
    """

    subjects: dict[str, str] = field(default_factory=dict)
    provenance: set[Provenance] = field(default_factory=set)
    task_digests: dict[str, set[str]] = field(default_factory=dict)
    labels: Counter[str] = field(default_factory=Counter)
    healths: Counter[str] = field(default_factory=Counter)

    def add_attempt(self, attempt: Attempt, line_digest: str) -> None:
        self.subjects[f"verdicts/{attempt.id}"] = line_digest
        artefacts = attempt.artefacts()
        for name, folder in ARTEFACT_SUBJECTS.items():
            if name in artefacts:
                self.subjects[f"{folder}/{attempt.id}"] = artefacts[name]
        self.provenance.add(attempt.provenance)
        if attempt.provenance.task_digest:
            digests = self.task_digests.setdefault(attempt.key.task, set())
            digests.add(attempt.provenance.task_digest)
        if attempt.label is not None:
            self.labels[attempt.label] += 1
        self.healths[attempt.health or "not ended"] += 1

    def add_members(
        self, manifest: Mapping[str, Any], manifest_text: bytes, artefacts: Iterable[str]
    ) -> None:
        """The members of the archive; what the store had lost is no subject by its attempt either."""
        present = set(artefacts)
        by_attempt = tuple(f"{folder}/" for folder in ARTEFACT_SUBJECTS.values())
        lost = [
            name
            for name, digest in self.subjects.items()
            if name.startswith(by_attempt) and digest not in present
        ]
        # A subject must be something that a reader can hash.
        for name in lost:
            del self.subjects[name]
        self.subjects[MANIFEST] = hashlib.sha256(manifest_text).hexdigest()
        self.subjects |= {name: manifest["sha256"][name] for name in (TASKS, ATTEMPTS)}
        self.subjects |= {FOLDER + digest: digest for digest in present}

    def statement(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        """The statement, whose bytes are the same for the same run and installation."""
        return {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": name, "digest": {"sha256": digest}}
                # Sorted, so that the same run has the same bytes to sign.
                for name, digest in sorted(self.subjects.items())
            ],
            "predicateType": PREDICATE_TYPE,
            "predicate": {"arena": installed(), **self._derive_fields(manifest)},
        }

    def _derive_fields(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        run = manifest["run"]
        return {
            "run": {name: run[name] for name in ("id", "track", "pack", "created")},
            "counts": dict(manifest["counts"]),
            "labels": dict(sorted(self.labels.items())),
            "healths": dict(sorted(self.healths.items())),
            "provenance": distinct(self.provenance),
            "tasks": {name: sorted(each) for name, each in sorted(self.task_digests.items())},
        }

    def disagreements(self, manifest: Mapping[str, Any], statement: Any) -> Iterator[str]:
        """Differences between a statement and the file, a line each."""
        if problem := _problem_of_form(statement):
            yield problem
            return
        yield from self._subject_disagreements(statement["subject"])
        yield from self._predicate_disagreements(manifest, statement["predicate"])

    def _subject_disagreements(self, subjects: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        # A dictionary hides a second subject of a name, hence the comparison of lengths.
        stated = {each["name"]: each["digest"]["sha256"] for each in subjects}
        if len(stated) != len(subjects):
            yield "a subject is there twice"
        for name in sorted(self.subjects.keys() | stated.keys()):
            if name not in stated:
                yield f"{name}: is in the file and no subject of the statement"
            elif name not in self.subjects:
                yield f"{name[:120]!r}: is a subject of the statement and not in the file"
            elif stated[name] != self.subjects[name]:
                yield f"{name}: has another SHA-256 than the statement says"

    def _predicate_disagreements(
        self, manifest: Mapping[str, Any], predicate: Mapping[str, Any]
    ) -> Iterator[str]:
        derived = self._derive_fields(manifest)
        for name in DERIVED:
            if predicate.get(name) != derived[name]:
                yield f"predicate.{name}: is not what the file's attempts say"
        # A field that nobody compares could claim anything under our signature.
        for name in sorted(predicate.keys() - {"arena", *DERIVED}):
            yield f"predicate.{name[:40]}: unknown field"
        if not isinstance(predicate.get("arena"), str):
            yield "predicate.arena: is no text"


def statement_bytes(statement: Mapping[str, Any]) -> bytes:
    """As it is written and signed."""
    return json.dumps(statement, indent=1, sort_keys=True).encode() + b"\n"


def read_contents(
    whole: WholeArchive, look: Callable[[Attempt], None] = lambda attempt: None
) -> FileContents:
    """The content of the file, without the artefacts' bytes. look: called with each attempt.

    Raises ImportRefused at the first part that is not as the manifest says.
    """
    contents = FileContents()
    whole.tasks()
    for attempt, line_digest in whole.attempts_with_digests():
        look(attempt)
        contents.add_attempt(attempt, line_digest)
    contents.add_members(whole.manifest, whole.manifest_text, whole.artefacts)
    return contents


def statement_problems(whole: WholeArchive, contents: FileContents) -> Iterator[str]:
    """Differences between the file and its statement; none where it has no statement."""
    statement = whole.statement()
    if statement is not None:
        yield from contents.disagreements(whole.manifest, statement[1])


def _problem_of_form(statement: Any) -> str:
    if not isinstance(statement, dict):
        return "is no object"
    for name, expected in (("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)):
        if statement.get(name) != expected:
            return f"{name}: {str(statement.get(name))[:80]!r} is another version than {expected}"
    if unknown := statement.keys() - {"_type", "predicateType", "subject", "predicate"}:
        return f"{min(unknown)[:40]}: unknown field"
    if not isinstance(statement.get("predicate"), dict):
        return "predicate: is no object"
    subjects = statement.get("subject")
    if not isinstance(subjects, list) or not all(map(_is_subject, subjects)):
        return "subject: is no list of names with a SHA-256 each"
    return ""


def _is_subject(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"name", "digest"}
        and isinstance(value["name"], str)
        and isinstance(value["digest"], dict)
        and value["digest"].keys() == {"sha256"}
        and isinstance(value["digest"]["sha256"], str)
    )
