"""Whether the test runner works here, for `arena doctor`."""

from __future__ import annotations

from arena.doctor.finding import Diagnosis, diagnose_extra


def _runner() -> Diagnosis:
    from arena.tracks.mutation.runner.pool import TestRunner

    return diagnose_extra("test runner", "mutation", TestRunner.available)


PROBES = (_runner,)
