"""Members of a whole run's file: a zip archive whose members have fixed names and no dates.

manifest.json         form, version, the run, counts, SHA-256 of the two lists, on what it rests
tasks.jsonl           the facts of its tasks, by name
attempts.jsonl        its attempts, by id
artefacts/<SHA-256>   each artefact that an attempt names, once
statement.json        an in-toto statement on all of it; statement.json.sig: its signature by an SSH key
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from arena.store.model import Attempt

FORM = "arena-run"
VERSION = 3
# Attempts of version 1 do not say what they rest on; versions 1 and 2 have no statement.
READABLE = (1, 2, VERSION)
MANIFEST, TASKS, ATTEMPTS, FOLDER = "manifest.json", "tasks.jsonl", "attempts.jsonl", "artefacts/"
STATEMENT, SIGNATURE = "statement.json", "statement.json.sig"
DIGEST = re.compile(r"[0-9a-f]{64}")
RUN_FIELDS = ("id", "pack", "track", "created", "settings", "spent_seconds")


def is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None


def digests_in(attempt: Attempt) -> set[str]:
    """Every text of an attempt that may be the digest of an artefact, at any depth of its evidence."""
    named = {value for value in (attempt.patch, attempt.trajectory) if is_digest(value)}
    return {str(value) for value in (*named, *_texts(attempt.evidence)) if is_digest(value)}


def _texts(value: Any) -> Iterator[str]:
    # Without recursion: evidence may be nested as deeply as its file allows.
    waiting = [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
