"""Is the project itself whole here? An installation may lack files, extras, or be older than its lock."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from functools import partial
from importlib import metadata
from pathlib import Path

import arena
from arena.doctor.finding import Diagnosis, Probe, VersionComparison
from harness.extras import DISTRIBUTION

# The clone, or where packages are installed.
ROOT = Path(arena.__file__).parent.parent
AGAIN = "this installation is not whole: install it again (./scripts/setup in a clone)"
# The versions of requirements.lock for pip, in the wheel too: `pip install -c`.
CONSTRAINTS = Path(arena.__file__).with_name("constraints.txt")
# Semgrep's rules decide C&S or CS, LiteLLM's table the USD.
DECIDING = ("semgrep", "litellm")
# What `scripts/setup` makes its stamp of.
LOCKED = ("requirements.lock", "pyproject.toml", "scripts/installer.lock")


def _diagnose_installation(what: str, ok: bool, state: str) -> Diagnosis:
    return Diagnosis(what, ok, state, AGAIN, needed=True)


def _files() -> Diagnosis:
    """Whether an installed wheel has all files that its record lists."""
    try:
        listed = metadata.files(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return Diagnosis("files", False, "used by its path alone", "install it: pip install .")
    missing = [str(path) for path in listed if not Path(str(path.locate())).exists()]
    lost = f"{len(missing)} of {len(listed)} are gone, such as {missing[0]}" if missing else ""
    return _diagnose_installation("files", not missing, lost or f"{len(listed)} installed")


def _packs() -> Diagnosis:
    from tasks.loader import PACKS, shipped_packs

    counts = {
        name: len({path.parent for path in (PACKS / name).glob("*/*.toml")})
        for name in shipped_packs()
    }
    summary = ", ".join(f"{name} ({count})" for name, count in counts.items())
    return _diagnose_installation("packs", bool(counts) and all(counts.values()), summary or "none")


def _rules() -> Diagnosis:
    from harness.grade.sast.ruleset import BUILTIN, BuiltinRules

    count = BuiltinRules(BUILTIN).count or 0
    return _diagnose_installation("rules", bool(count), f"{count} for Semgrep")


def _pages() -> Diagnosis:
    from arena.report.board.bundle import STATIC
    from arena.report.board.page import STYLES

    count = sum(path.is_file() for path in STATIC.glob("*"))
    ok = all((STATIC / name).is_file() for name in ("app.js", *STYLES))
    return _diagnose_installation("dashboard", ok, f"{count} static files")


def _migrations() -> Diagnosis:
    from arena.store.migrations import versions
    from arena.store.schema import REVISIONS

    count = len(list(Path(versions.__path__[0]).glob("v*.py")))
    return _diagnose_installation(
        "migrations", count == len(REVISIONS), f"{count} of {len(REVISIONS)}"
    )


def _dockerfile() -> Diagnosis:
    from parsers.registry import directory

    there = (directory("images") / "cpp" / "Dockerfile").is_file()
    return _diagnose_installation(
        "Dockerfile of arena/cpp", there, "there" if there else "not there"
    )


def _lock() -> Diagnosis:
    """The `.venv` that `scripts/setup` creates matches the lock; further environments have no lock."""
    stamp = ROOT / ".venv" / ".arena-lock"
    if Path(sys.prefix) != ROOT / ".venv" or not (ROOT / "scripts/setup").is_file():
        return Diagnosis("lock", True, "not used: this is not the .venv of a clone", "")
    due = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in LOCKED)).hexdigest()
    ok = stamp.is_file() and stamp.read_text("utf-8").strip() == due
    state = ".venv is as the lock says" if ok else ".venv is older than the lock"
    return VersionComparison("lock", ok, state, "run ./scripts/setup")


def _measured_with() -> VersionComparison:
    """Whether the packages that decide a label or a bill are those that results were measured with."""
    locked = dict(line.split("==") for line in CONSTRAINTS.read_text("utf-8").split())
    others = {name: metadata.version(name) for name in DECIDING}
    others = {name: version for name, version in others.items() if version != locked[name]}
    state = ", ".join(
        f"{name} {version} instead of {locked[name]}" for name, version in others.items()
    )
    wanted = " ".join(f"{name}=={locked[name]}" for name in others)
    advice = f"labels and prices may differ from the documented ones: pip install {wanted}"
    agreed = ", ".join(f"{name} {locked[name]}" for name in DECIDING)
    return VersionComparison("measured with", not others, state or agreed, advice)


def _home() -> Diagnosis:
    from arena.store.location import home

    place = home()
    there = next(path for path in (place, *place.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            return Diagnosis("home", True, str(place), "", needed=True)
    except OSError as error:
        state = f"{place} cannot be written ({error.strerror})"
        return Diagnosis("home", False, state, "name another folder in ARENA_HOME", needed=True)


def _extra(name: str) -> Diagnosis:
    from harness.extras import EXTRAS, absent, how

    missing = absent(name)
    state = f"not installed ({', '.join(missing)})" if missing else "installed"
    advice = f"for {EXTRAS[name].purpose}: {how(name)}"
    return Diagnosis(f"extra {name}", not missing, state, advice)


def _probe_of(name: str) -> Probe:
    return partial(_extra, name)


def _extras() -> tuple[Probe, ...]:
    from harness.extras import EXTRAS

    return tuple(_probe_of(name) for name in EXTRAS)


PROBES: tuple[Probe, ...] = (
    *(_files, _packs, _rules, _pages, _migrations, _dockerfile, _lock, _measured_with, _home),
    *_extras(),
)
