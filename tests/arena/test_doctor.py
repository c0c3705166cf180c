"""`arena doctor`: what is not whole or not there is one line each that says what to do, made so here."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import arena.doctor as doctor
from arena.doctor import installation, machine
from arena.doctor.finding import Diagnosis, diagnose_missing
from arena.report.board import bundle
from arena.store import schema
from harness.extras import EXTRAS
from harness.grade.sast import ruleset
from parsers import registry
from tasks import loader
from tests.arena.conftest import Arena

ROOT = Path(__file__).parents[2]
Patch = pytest.MonkeyPatch


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def no_packs(patch: Patch, empty: Path) -> None:
    patch.setattr(loader, "PACKS", empty)


def an_empty_pack(patch: Patch, empty: Path) -> None:
    (empty / "starter").mkdir()
    (empty / "starter/pack.toml").write_text("")
    patch.setattr(loader, "PACKS", empty)


def no_rules(patch: Patch, empty: Path) -> None:
    patch.setattr(ruleset, "BUILTIN", empty)


def no_static_files(patch: Patch, empty: Path) -> None:
    patch.setattr(bundle, "STATIC", empty)


def a_migration_too_few(patch: Patch, empty: Path) -> None:
    patch.setattr(schema, "REVISIONS", (*schema.REVISIONS, "0099"))


def no_dockerfile(patch: Patch, empty: Path) -> None:
    patch.setattr(registry, "directory", lambda _: empty)


def a_lost_file(patch: Patch, empty: Path) -> None:
    gone = importlib.metadata.PackagePath("arena/gone.py")
    gone.dist = SimpleNamespace(locate_file=lambda path: empty / path)  # type: ignore[assignment]
    patch.setattr(importlib.metadata, "files", lambda _: [gone])


def an_old_venv(patch: Patch, empty: Path) -> None:
    for name in (*installation.LOCKED, "scripts/setup", ".venv/.arena-lock"):
        (empty / name).parent.mkdir(exist_ok=True)
        (empty / name).write_text(name)
    patch.setattr(installation, "ROOT", empty)
    patch.setattr(sys, "prefix", str(empty / ".venv"))


def a_home_that_cannot_be_written(patch: Patch, empty: Path) -> None:
    patch.setenv("ARENA_HOME", "/proc/arena")


def no_semgrep(patch: Patch, empty: Path) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    patch.setattr(importlib.metadata, "version", version)


def no_engine(patch: Patch, empty: Path) -> None:
    patch.setenv("DOCKER_HOST", f"unix://{empty}/none.sock")


def not_root(patch: Patch, empty: Path) -> None:
    patch.setattr("os.geteuid", lambda: 1000)


AGAIN = "install it again (./scripts/setup in a clone)"
KNOWN = len(schema.REVISIONS)
CASES: dict[Any, tuple[str, str, str, bool]] = {
    no_packs: ("packs", "none", AGAIN, True),
    an_empty_pack: ("packs", "starter (0)", AGAIN, True),
    no_rules: ("rules", "0 for Semgrep", AGAIN, True),
    no_static_files: ("dashboard", "0 static files", AGAIN, True),
    a_migration_too_few: ("migrations", f"{KNOWN} of {KNOWN + 1}", AGAIN, True),
    no_dockerfile: ("Dockerfile of arena/cpp", "not there", AGAIN, True),
    a_lost_file: ("files", "1 of 1 are gone, such as arena/gone.py", AGAIN, True),
    an_old_venv: ("lock", "older than the lock", "run ./scripts/setup", False),
    a_home_that_cannot_be_written: ("home", "/proc/arena cannot be written", "ARENA_HOME", True),
    no_semgrep: ("semgrep", "not installed", "pip install semgrep", True),
    no_engine: ("sandbox docker", "", "start dockerd", False),
    not_root: ("root", "no", "the scripts install nothing", False),
}


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_what_is_wrong_is_one_line_that_says_what_to_do(
    make: Any, arena: Arena, empty: Path, monkeypatch: Patch
) -> None:
    keep_quick(monkeypatch, make)
    what, state, advice, needed = CASES[make]
    make(monkeypatch, empty)
    done = arena("doctor")
    assert done.status == (1 if needed else 0), done.out
    (line,) = [line for line in done.out.splitlines() if line[8:].startswith(f"{what}: ")]
    assert line.startswith("MISSING " if needed else "absent  ")
    assert state in line and advice in line
    if advice is not AGAIN:
        assert done.out.count(advice) == 1


def keep_quick(patch: Patch, make: Any) -> None:
    """Sandboxes are looked for only where they are what is tested; `local` is said to be there."""
    works = Diagnosis("sandbox local", True, "works", "")
    slow = ("_image", "probe", "_git", "_python")
    kept = [probe for probe in machine.PROBES if probe.__name__ not in slow]
    kept += [machine.PROBES[3]] if make is no_engine else []
    patch.setattr(machine, "PROBES", (*kept, lambda: works))


@pytest.mark.slow
def test_no_sandbox_at_all_is_told_once(arena: Arena, monkeypatch: Patch) -> None:
    lacks = "no socket answers; install one"
    probes = tuple(
        (lambda name=name: diagnose_missing(f"sandbox {name}", lacks))
        for name in ("docker", "local")
    )
    monkeypatch.setattr(machine, "PROBES", probes)
    done = arena("doctor")
    assert done.status == 1
    assert done.out.splitlines()[-1] == (
        "MISSING some sandbox: none; one of the sandboxes above must work"
    )
    assert "absent  sandbox docker: no socket answers; install one\n" in done.out


@pytest.mark.rotating(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", EXTRAS)
def test_extras_are_listed_with_the_way_to_get_them(
    name: str, arena: Arena, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(machine, "PROBES", (lambda: Diagnosis("sandbox x", True, "works", ""),))
    for module in EXTRAS[name].modules:
        monkeypatch.setitem(sys.modules, module, None)
    done = arena("doctor")
    (line,) = [line for line in done.out.splitlines() if f" extra {name}: " in line]
    assert line.startswith(f"absent  extra {name}: not installed ({EXTRAS[name].modules[0]}")
    assert line.endswith(f": pip install '.[{name}]' in a checkout")
    assert done.status == 0


@pytest.mark.slow
def test_a_probe_that_lacks_a_module_of_the_core_is_a_finding(monkeypatch: Patch) -> None:
    def _broken() -> Diagnosis:
        raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")

    monkeypatch.setattr(machine, "PROBES", (_broken,))
    found = doctor.examine()[0]
    assert (found.what, found.ok, found.needed) == ("broken", False, True)
    assert found.summary.endswith("lacks the module sqlalchemy; install secure-coding-arena again")


@pytest.mark.slow
def test_what_is_here_is_whole(arena: Arena, monkeypatch: Patch) -> None:
    """The lock too: its stamp is made by scripts/setup, and read here."""
    monkeypatch.setattr(machine, "PROBES", (lambda: Diagnosis("sandbox x", True, "works", ""),))
    found = {entry["what"]: entry for entry in arena("doctor", "--json").json}
    assert found["packs"]["state"].endswith("starter (52)")
    assert found["migrations"]["ok"] and found["rules"]["ok"] and found["dashboard"]["ok"]
    if (ROOT / ".venv/.arena-lock").is_file() and Path(sys.prefix) == ROOT / ".venv":
        assert found["lock"]["state"] == ".venv is as the lock says"


def test_the_constraints_in_the_wheel_are_the_lock() -> None:
    """To write them anew: the lines `NAME==VERSION` of requirements.lock, without their hashes."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [
        line.removesuffix("\\").strip() for line in lines if re.match(r"[\w.-]+(\[.*\])?==", line)
    ]
    pins = [re.sub(r"\[.*\]", "", pin) for pin in pins]
    assert installation.CONSTRAINTS.read_text().split() == pins


def test_another_semgrep_than_results_were_measured_with_is_told(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    assert installation._measured_with().ok
    other = tmp_path / "constraints.txt"
    other.write_text("semgrep==0.0.1\nlitellm==0.0.2\n")
    monkeypatch.setattr(installation, "CONSTRAINTS", other)
    found = installation._measured_with()
    assert not found.ok and not found.needed
    assert found.mark == "differs"
    assert " instead of 0.0.1, litellm " in found.state
    assert found.advice.endswith("pip install semgrep==0.0.1 litellm==0.0.2")
