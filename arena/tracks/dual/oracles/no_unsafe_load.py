"""No loader that can run code read data."""

from __future__ import annotations

from arena.tracks.dual.oracles._hooked import none_of

PLUGIN = none_of("unsafe-load", "no loader that can run code was used", "pickle.loads", "yaml.load")
