"""The program started no further program."""

from __future__ import annotations

from arena.tracks.dual.oracles._hooked import none_of

PLUGIN = none_of("spawn", "no program was started", "os.system", "subprocess.Popen")
