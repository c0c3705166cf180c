"""What the machine has: tools, sandboxes, room."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from pathlib import Path

from arena.doctor.finding import Diagnosis, Probe, diagnose_missing

RANDOM_BITS = Path("/proc/sys/vm/mmap_rnd_bits")
MAX_RANDOM_BITS = 28
MIN_FREE_GIB = 5


def _python() -> Diagnosis:
    state = ".".join(map(str, sys.version_info[:3]))
    return Diagnosis(
        "python", sys.version_info >= (3, 11), state, "Python 3.11 or later", needed=True
    )


def _git() -> Diagnosis:
    git = shutil.which("git")
    return Diagnosis("git", bool(git), git or "not found", "apt-get install git", needed=True)


def _semgrep() -> Diagnosis:
    try:
        state, ok = importlib.metadata.version("semgrep"), True
    except importlib.metadata.PackageNotFoundError:
        state, ok = "not installed", False
    return Diagnosis("semgrep", ok, state, "pip install semgrep", needed=True)


def _sandbox(name: str) -> Probe:
    def probe() -> Diagnosis:
        from parsers.registry import lookup

        backend = lookup("harness.sandbox.backends", name)()
        missing = backend.available()
        lacks = "" if missing else "; ".join(backend.lacks())
        if lacks:
            return Diagnosis(f"sandbox {name}", True, f"works, but {lacks}", "")
        return diagnose_missing(f"sandbox {name}", missing)

    return probe


def _image() -> Diagnosis:
    from harness.sandbox.backends.docker import DockerBackend
    from images.bootstrap import bootstrap_problem

    backend = DockerBackend()
    if backend.available():
        return Diagnosis("image arena/cpp", False, "no engine to look in", "")
    is_built = any(
        tag.startswith("arena/cpp:") for image in backend.client.images.list() for tag in image.tags
    )
    problem = "" if is_built else bootstrap_problem()
    state = "built" if is_built else "not built yet; it is made when it is first needed"
    return Diagnosis(
        "image arena/cpp", not problem, problem or state, "apt-get install debootstrap"
    )


def _random() -> Diagnosis:
    bits = (
        int(RANDOM_BITS.read_text())
        if RANDOM_BITS.exists() and os.access(RANDOM_BITS, os.R_OK)
        else 0
    )
    advice = (
        "sysctl vm.mmap_rnd_bits=28 (sanitizers of gcc 12 and clang 14 crash at random above that)"
    )
    return Diagnosis(
        "address randomisation", bits <= MAX_RANDOM_BITS, f"{bits or 'unknown'} bits", advice
    )


def _disk() -> Diagnosis:
    free = shutil.disk_usage(Path.cwd()).free >> 30
    advice = f"free at least {MIN_FREE_GIB} GiB"
    return Diagnosis("disk", free >= MIN_FREE_GIB, f"{free} GiB free here", advice)


def _root() -> Diagnosis:
    is_root = os.geteuid() == 0
    advice = (
        "the scripts install nothing: what is absent here must be installed by an administrator"
    )
    return Diagnosis("root", is_root, "yes" if is_root else "no", advice)


PROBES: tuple[Probe, ...] = (
    _python,
    _git,
    _semgrep,
    _sandbox("docker"),
    _sandbox("local"),
    _image,
    _random,
    _disk,
    _root,
)
