"""No broken cipher, or broken mode of a cipher, was used."""

from __future__ import annotations

from arena.tracks.dual.oracles._hooked import none_of

PLUGIN = none_of("weak-cipher", "no broken cipher was used", "DES", "AES-ECB")
