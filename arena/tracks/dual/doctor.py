"""Whether the program runner works here, for `arena doctor`."""

from __future__ import annotations

from arena.doctor.finding import Diagnosis, diagnose_extra


def _runner() -> Diagnosis:
    from arena.tracks.dual.runner.pool import ProgramRunner

    return diagnose_extra("program runner", "dual", ProgramRunner.available)


PROBES = (_runner,)
