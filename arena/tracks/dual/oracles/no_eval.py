"""No text was run as code."""

from __future__ import annotations

from arena.tracks.dual.oracles._hooked import none_of

PLUGIN = none_of("eval", "no text was run as code", "eval", "exec")
