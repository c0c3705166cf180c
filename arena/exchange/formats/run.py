"""A whole run as one file, which `arena import` puts into any store as it was."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.exchange.source import Say, Source, WrittenFile
from arena.exchange.whole import (
    ATTEMPTS,
    FOLDER,
    FORM,
    MANIFEST,
    RUN_FIELDS,
    TASKS,
    VERSION,
    digests_in,
)
from arena.exchange.writing import whole_file
from arena.report.selection import Selection
from arena.store.model import Attempt
from arena.store.provenance import Provenance, distinct


def write(source: Source, out: Path, say: Say) -> None:
    if source.wanted != Selection():
        raise ValueError("--where: the format run holds a whole run")
    with whole_file(out) as stream, zipfile.ZipFile(stream, "w") as target:
        found: set[str] = set()
        named: set[str] = set()
        rests_on: set[Provenance] = set()
        # read once: a driver may be writing
        each = (
            _attempt(attempt, found, named, rests_on) for attempt in source.attempts(withdrawn=True)
        )
        attempts = _lines(target, ATTEMPTS, each)
        facts = [vars(source.tasks[name]) for name in sorted(source.tasks)]
        tasks = _lines(target, TASKS, facts)
        kept = _artefacts(target, source, found)
        manifest = {
            "form": FORM,
            "version": VERSION,
            "run": {name: getattr(source.run, name) for name in RUN_FIELDS},
            "counts": {"tasks": len(facts), "attempts": attempts[0], "artefacts": len(kept)},
            "sha256": {ATTEMPTS: attempts[1], TASKS: tasks[1]},
            "missing": (missing := sorted(named - kept)),
            "provenance": distinct(rests_on),
        }
        target.writestr(_member(MANIFEST), json.dumps(manifest, indent=1))
    say(f"{attempts[0]} attempts and {len(kept)} artefacts in {out}")
    if missing:
        say(f"{len(missing)} artefacts are no longer in the store and not in the file")


def _member(name: str) -> zipfile.ZipInfo:
    """A member without a date, so that the same run gives the same bytes."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o644 << 16
    return member


def _attempt(
    attempt: Attempt, found: set[str], named: set[str], rests_on: set[Provenance]
) -> dict[str, Any]:
    """An attempt's line. found: what may be digests; named: those of what it names as its artefacts."""
    rests_on.add(attempt.provenance)
    found |= digests_in(attempt)
    named.update(attempt.artefacts().values())
    return dict(attempt.to_json())


def _lines(target: zipfile.ZipFile, name: str, values: Iterable[Any]) -> tuple[int, str]:
    """Write a list; returns how long it is and its SHA-256."""
    count, digest = 0, hashlib.sha256()
    with target.open(_member(name), "w", force_zip64=True) as stream:
        for value in values:
            line = json.dumps(value, sort_keys=True).encode() + b"\n"
            stream.write(line)
            digest.update(line)
            count += 1
    return count, digest.hexdigest()


def _artefacts(target: zipfile.ZipFile, source: Source, found: set[str]) -> set[str]:
    """Put in what the store has of `found`; a text that looks like a digest may be none."""
    kept = {digest for digest in found if source.store.has(digest)}
    for digest in sorted(kept):
        with target.open(_member(FOLDER + digest), "w", force_zip64=True) as stream:
            stream.write(source.store.blob(digest))
    return kept


PLUGIN = WrittenFile("run", "One file with the whole run, for `arena import`.", write)
