"""What the grader needs from a store: blobs by digest, and facts by key."""

from __future__ import annotations

import hashlib
from typing import Any, Protocol


class ResultCache(Protocol):
    """A cache that keeps artefacts by content, and small facts by key; both survive the process."""

    def keep(self, data: bytes) -> str:
        """Store bytes; returns their SHA-256 in hex."""
        ...

    def blob(self, digest: str) -> bytes:
        """The bytes of a digest. Raises KeyError."""
        ...

    def fact(self, key: str) -> dict[str, Any] | None: ...

    def put_fact(self, key: str, fact: dict[str, Any]) -> None: ...


class MemoryCache:
    """A cache for a process, for use of the grader as a library."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}
        self._facts: dict[str, dict[str, Any]] = {}

    def keep(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self._blobs[digest] = data
        return digest

    def blob(self, digest: str) -> bytes:
        return self._blobs[digest]

    def fact(self, key: str) -> dict[str, Any] | None:
        return self._facts.get(key)

    def put_fact(self, key: str, fact: dict[str, Any]) -> None:
        self._facts[key] = fact


def digest_of(*parts: str | bytes) -> str:
    """SHA-256 in hex over parts with unambiguous borders."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
