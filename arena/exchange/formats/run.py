"""A whole run as a single file, which `arena import` puts into any store unchanged."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from arena.exchange.attestation import FileContents, statement_bytes
from arena.exchange.signing import sign_statement
from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.whole import (
    ATTEMPTS,
    FOLDER,
    FORM,
    MANIFEST,
    RUN_FIELDS,
    SIGNATURE,
    STATEMENT,
    TASKS,
    VERSION,
    digests_in,
)
from arena.exchange.writing import write_output
from arena.report.selection import Selection
from arena.store.model import withdrawn_attempts
from arena.store.provenance import distinct


def write(source: Source, out: Path, say: Say) -> None:
    if source.wanted != Selection():
        raise ValueError("--where: the format run holds a whole run")
    with write_output(out) as stream, zipfile.ZipFile(stream, "w") as target:
        contents = FileContents()
        digests: set[str] = set()
        named: set[str] = set()
        with _open_list(target, ATTEMPTS) as attempts:
            left_out = withdrawn_attempts(source.run.settings)
            withdrawn = 0
            for attempt in source.attempts(withdrawn=True):  # read once: a driver may be writing
                withdrawn += attempt.id in left_out
                digests |= digests_in(attempt)
                named.update(attempt.artefacts().values())
                contents.add_attempt(attempt, attempts.write(attempt.to_json()))
        with _open_list(target, TASKS) as tasks:
            for name in sorted(source.tasks):
                tasks.write(vars(source.tasks[name]))
        stored = _artefacts(target, source, digests)
        manifest = {
            "form": FORM,
            "version": VERSION,
            "run": {name: getattr(source.run, name) for name in RUN_FIELDS},
            "counts": {
                "tasks": tasks.count,
                "attempts": attempts.count,
                "artefacts": len(stored),
            },
            "sha256": {ATTEMPTS: attempts.digest.hexdigest(), TASKS: tasks.digest.hexdigest()},
            "missing": (missing := sorted(named - stored)),
            "provenance": distinct(contents.provenance),
        }
        text = json.dumps(manifest, indent=1).encode()
        target.writestr(_member(MANIFEST), text)
        contents.add_members(manifest, text, stored)
        _put_statement(target, statement_bytes(contents.statement(manifest)), source.sign_key)
    of_them = f" ({withdrawn} of them withdrawn: in no other export)" if withdrawn else ""
    say(f"{attempts.count} attempts{of_them} and {len(stored)} artefacts in {out}")
    if missing:
        say(f"{len(missing)} artefacts are no longer in the store and not in the file")


def _put_statement(target: zipfile.ZipFile, statement: bytes, sign_key: Path | None) -> None:
    """Write the statement, and its signature where there is a key."""
    target.writestr(_member(STATEMENT), statement)
    if sign_key is not None:
        target.writestr(_member(SIGNATURE), sign_statement(statement, sign_key))


def _member(name: str) -> zipfile.ZipInfo:
    """A member without a date, so that the same run gives the same bytes."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member


@dataclass
class JsonLines:
    """A list that is being written. count: its lines so far."""

    stream: IO[bytes]
    count: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, value: Any) -> str:
        """Append a line; returns its SHA-256."""
        # Sorted, since the digest of the line is what the statement is on.
        line = json.dumps(value, sort_keys=True).encode() + b"\n"
        self.stream.write(line)
        self.digest.update(line)
        self.count += 1
        return hashlib.sha256(line).hexdigest()


@contextmanager
def _open_list(target: zipfile.ZipFile, name: str) -> Iterator[JsonLines]:
    # Its size is not known beforehand, and without zip64 a list beyond 2 GiB would fail at its end.
    with target.open(_member(name), "w", force_zip64=True) as stream:
        yield JsonLines(stream)


def _artefacts(target: zipfile.ZipFile, source: Source, digests: set[str]) -> set[str]:
    """Write those digests that the store has as artefacts; a text that looks like a digest may be none."""
    present = {digest for digest in digests if source.store.has(digest)}
    for digest in sorted(present):
        with target.open(_member(FOLDER + digest), "w", force_zip64=True) as stream:
            stream.write(source.store.blob(digest))
    return present


PLUGIN = WrittenFile("run", "One file with the whole run, for `arena import`.", write)
