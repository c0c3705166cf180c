"""Checks of the machine and of the installation: each probe says what it saw, and what to do.

- `machine.py`       sandboxes, tools, room
- `installation.py`  what belongs to the project: packs, rules, pages, migrations, extras
- `finding.py`       what a probe says
"""

from __future__ import annotations

from arena.doctor import installation, machine
from arena.doctor.finding import Finding, Probe
from harness.extras import named

__all__ = ["Finding", "examine"]


def examine() -> list[Finding]:
    """Run every probe; never raises for something that is missing."""
    findings = [_found(probe) for probe in (*machine.PROBES, *installation.PROBES)]
    usable = any(f.ok for f in findings if f.what.startswith("sandbox "))
    advice = "one of the sandboxes above must work"
    return [
        *findings,
        Finding("some sandbox", usable, "yes" if usable else "none", advice, needed=True),
    ]


def _found(probe: Probe) -> Finding:
    try:
        return probe()
    except ModuleNotFoundError as error:
        lacking = named(error)
        if lacking is None:
            raise
        state, _, advice = str(lacking).partition(": ")
        return Finding(probe.__name__.strip("_"), False, state, advice, needed=True)
