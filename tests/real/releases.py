"""Install two releases of a tool, each into an environment or a folder of its own, and compare what they come to."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pytest

Facts = TypeVar("Facts")
# The property of a test's report that holds a row of the table.
ROW = "outside-tool"
INSTALL_TIMEOUT_S = 600


def install(
    folder: Path,
    package: str,
    release: str = "",
    others: Sequence[str] = (),
    python: str = sys.executable,
) -> Path:
    """Install a package from the index, by default its newest release; returns the folder of its programs."""
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "venv", "-q", "--python", python, folder], check=True)
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


def compare_node_releases(
    request: pytest.FixtureRequest,
    folder: Path,
    pinned: Mapping[str, str],
    script: str,
    arguments: Sequence[str],
    truth: Any,
) -> None:
    """As `compare_releases`, for packages of npm (name -> version): what the script prints last is the facts."""
    facts, releases = {}, {}
    for name in ("pinned", "newest"):
        place = folder / name
        place.mkdir()
        (place / "client.mjs").write_text(script)
        wanted = [f"{one}@{pinned[one] if name == 'pinned' else 'latest'}" for one in pinned]
        npm = [shutil.which("npm"), "install", "--silent", "--no-audit", *wanted]
        subprocess.run(npm, cwd=place, check=True, timeout=INSTALL_TIMEOUT_S)
        releases[name] = {one: _node_version(place, one) for one in pinned}
        facts[name] = printed_facts([shutil.which("node"), "client.mjs", *arguments], place)
    held = "held" if facts["newest"] == truth else "moved"
    for one in pinned:
        row = f"| {one} (npm) | {releases['pinned'][one]} | {releases['newest'][one]} | {held} |"
        request.node.user_properties.append((ROW, row))
    assert facts == dict.fromkeys(facts, truth)


def _node_version(folder: Path, package: str) -> str:
    described = folder / "node_modules" / package / "package.json"
    return str(json.loads(described.read_text())["version"])


def printed_facts(command: list[Any], folder: Path) -> Any:
    """JSON on the last line that a client prints; the end of its errors where it prints nothing."""
    env = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else done.stderr[-600:]
