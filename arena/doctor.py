"""Checks of the machine: a table of probes, each of which says what it saw and what to do."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RANDOM_BITS = Path("/proc/sys/vm/mmap_rnd_bits")
MAX_RANDOM_BITS = 28
MIN_FREE_GIB = 5


@dataclass(frozen=True)
class Finding:
    """One probe: `needed` ones must be ok for anything to be graded here."""

    what: str
    ok: bool
    state: str
    advice: str
    needed: bool = False


def examine() -> list[Finding]:
    """Run every probe; never raises for something that is missing."""
    findings = [probe() for probe in PROBES]
    sandboxes = [f for f in findings if f.what.startswith("sandbox ")]
    usable = any(f.ok for f in sandboxes)
    advice = "; or ".join(f.advice for f in sandboxes)
    return [
        *findings,
        Finding("some sandbox", usable, "yes" if usable else "none", advice, needed=True),
    ]


def _python() -> Finding:
    state = ".".join(map(str, sys.version_info[:3]))
    return Finding(
        "python", sys.version_info >= (3, 11), state, "Python 3.11 or later", needed=True
    )


def _git() -> Finding:
    found = shutil.which("git")
    return Finding("git", bool(found), found or "not found", "apt-get install git", needed=True)


def _semgrep() -> Finding:
    from harness.grade.sast import ScanFailed, load_scanner

    try:
        state = load_scanner("builtin").version
    except ScanFailed as error:
        return Finding("semgrep", False, str(error), "run ./scripts/setup again", needed=True)
    installed = importlib.metadata.version("semgrep")
    return Finding(
        "semgrep", True, f"{installed}, rules {state.rpartition(' ')[2][:12]}", "", needed=True
    )


def _sandbox(name: str) -> Callable[[], Finding]:
    def probe() -> Finding:
        from parsers.registry import lookup

        backend = lookup("harness.sandbox.backends", name)()
        missing = backend.available()
        return Finding(
            f"sandbox {name}", not missing, missing or "works", missing.rpartition("; ")[2]
        )

    return probe


def _stand() -> Finding:
    from harness.stand.stand import Stand

    missing = Stand.available()
    return Finding("stand", not missing, missing or "works", missing.rpartition("; ")[2])


def _testbed() -> Finding:
    from harness.testbed.bed import Testbed

    missing = Testbed.available()
    return Finding("testbed", not missing, missing or "works", missing.rpartition("; ")[2])


def _image() -> Finding:
    from harness.sandbox.backends.docker import DockerBackend
    from images.bootstrap import bootstrap_problem

    backend = DockerBackend()
    if backend.available():
        return Finding("image arena/cpp", False, "no engine to look in", "see sandbox docker")
    made = any(
        tag.startswith("arena/cpp:") for image in backend.client.images.list() for tag in image.tags
    )
    problem = "" if made else bootstrap_problem()
    state = "built" if made else "not built yet; it is made when it is first needed"
    return Finding("image arena/cpp", not problem, problem or state, "apt-get install debootstrap")


def _random() -> Finding:
    bits = (
        int(RANDOM_BITS.read_text())
        if RANDOM_BITS.exists() and os.access(RANDOM_BITS, os.R_OK)
        else 0
    )
    advice = (
        "sysctl vm.mmap_rnd_bits=28 (sanitizers of gcc 12 and clang 14 crash at random above that)"
    )
    return Finding(
        "address randomisation", bits <= MAX_RANDOM_BITS, f"{bits or 'unknown'} bits", advice
    )


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free >> 30
    advice = f"free at least {MIN_FREE_GIB} GiB"
    return Finding("disk", free >= MIN_FREE_GIB, f"{free} GiB free here", advice)


PROBES = (
    _python,
    _git,
    _semgrep,
    _sandbox("docker"),
    _sandbox("local"),
    _testbed,
    _stand,
    _image,
    _random,
    _disk,
)
