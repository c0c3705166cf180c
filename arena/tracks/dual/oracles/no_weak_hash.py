"""No broken hash function was used."""

from __future__ import annotations

from arena.tracks.dual.oracles._hooked import none_of

PLUGIN = none_of("weak-hash", "no broken hash was used", "hashlib.md5", "hashlib.sha1")
