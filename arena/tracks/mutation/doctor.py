"""Whether the test runner works here, for `arena doctor`."""

from __future__ import annotations

from arena.doctor.finding import Finding, of_extra


def _runner() -> Finding:
    from arena.tracks.mutation.runner.pool import TestRunner

    return of_extra("test runner", "mutation", TestRunner.available)


PROBES = (_runner,)
