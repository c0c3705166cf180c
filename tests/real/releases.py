"""Install two releases of a tool, each into an environment of its own, and compare what they come to."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import pytest

Facts = TypeVar("Facts")
ROW = "outside-tool"
"""The property of a test's report that holds a row of the table."""
INSTALL_TIMEOUT_S = 600


def install(folder: Path, package: str, release: str = "", others: Sequence[str] = ()) -> Path:
    """Install a package from the index, by default its newest release; returns the folder of its programs."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, folder], check=True)
    wanted = [f"{package}=={release}" if release else package, *others]
    command = [uv, "pip", "install", "-q", "--python", folder / "bin/python", *wanted]
    subprocess.run(command, check=True, timeout=INSTALL_TIMEOUT_S)
    return folder / "bin"


def installed_version(programs: Path, package: str) -> str:
    """The version of a package in the environment of these programs."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([programs / "python", "-c", code], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


def compare_releases(
    request: pytest.FixtureRequest,
    folder: Path,
    package: str,
    check: Callable[[Path], Facts],
    truth: Facts,
    others: Sequence[str] = (),
) -> None:
    """Run `check` with the programs of the pinned and of the newest release; both must come to `truth`.

    Fails where the newest does not, and where our own reading of the pinned one is wrong.
    """
    pinned = version(package)
    facts = {}
    releases = {}
    for name, release in (("pinned", pinned), ("newest", "")):
        programs = install(folder / name, package, release, others)
        releases[name] = installed_version(programs, package)
        facts[name] = check(programs)
    state = "held" if facts["newest"] == truth else "moved"
    row = f"| {package} | {releases['pinned']} | {releases['newest']} | {state} |"
    request.node.user_properties.append((ROW, row))
    for name, came in facts.items():
        assert came == truth, f"{package} {releases[name]} ({name}): {came!r}"
