"""Checks of the machine and of the installation: each probe says what it saw, and what to do.

- `machine.py`       sandboxes, tools, room
- `installation.py`  what belongs to the project: packs, rules, pages, migrations, extras
- `finding.py`       what a probe says

A track brings its probes in `arena/tracks/<track>/doctor.py`, as `PROBES`.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator

from arena.doctor import installation, machine
from arena.doctor.finding import Diagnosis, Probe
from arena.vocabulary import find_track_package, tracks
from harness.extras import describe_missing_extra

__all__ = ["Diagnosis", "examine"]


def examine() -> list[Diagnosis]:
    """Run every probe; never raises for something that is missing."""
    findings = [
        _diagnose(probe) for probe in (*machine.PROBES, *_probes_of_tracks(), *installation.PROBES)
    ]
    usable = any(f.ok for f in findings if f.what.startswith("sandbox "))
    advice = "one of the sandboxes above must work"
    return [
        *findings,
        Diagnosis("some sandbox", usable, "yes" if usable else "none", advice, needed=True),
    ]


def _probes_of_tracks() -> Iterator[Probe]:
    for name in tracks():
        module = f"{find_track_package(name)}.doctor"
        if importlib.util.find_spec(module):
            yield from importlib.import_module(module).PROBES


def _diagnose(probe: Probe) -> Diagnosis:
    try:
        return probe()
    except ModuleNotFoundError as error:
        lacking = describe_missing_extra(error)
        if lacking is None:
            raise
        state, _, advice = str(lacking).partition(": ")
        return Diagnosis(probe.__name__.strip("_"), False, state, advice, needed=True)
