"""Whether the program runner works here, for `arena doctor`."""

from __future__ import annotations

from arena.doctor.finding import Finding, of_extra


def _runner() -> Finding:
    from arena.tracks.dual.runner.pool import ProgramRunner

    return of_extra("program runner", "dual", ProgramRunner.available)


PROBES = (_runner,)
