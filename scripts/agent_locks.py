"""Locks of the agents: every package of a toolbox with version and hashes, and no address.

    .venv/bin/python scripts/agent_locks.py [AGENT...] [--swe-agent TREE]

Resolves anew what `harness/agents/*.py` pin, for Linux with glibc on x86_64 and aarch64 and the Pythons of
each recipe. What one agent's lock has, the next ones take over where they can, so that toolboxes share files.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from harness.agents._make import behind
from harness.toolbox.node import CPU_NAMES
from harness.toolbox.recipe import NodeRecipe, Python

ORDER = ("aider", "mini-swe-agent", "swe-agent", "openhands", "openhands-cli")
"""Aider leaves no choice of versions; so it comes first."""
NODE = ("codex", "opencode", "claude-code")
MACHINES = ("x86_64", "aarch64")
UV = str(Path(sys.executable).with_name("uv"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=[*ORDER, *NODE])
    parser.add_argument(
        "--swe-agent", type=Path, help="its source tree, of which the requirements are read"
    )
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in (*ORDER, *NODE):
            if name in told.agents:
                program = behind(name)
                path = Path(program.recipe.lock)
                if isinstance(program.recipe, NodeRecipe):
                    path.write_text(npm_lock(program.recipe, Path(folder, name)), "utf-8")
                else:
                    tree = told.swe_agent if program.recipe.source else None
                    path.write_text(python_lock(program.recipe, Path(folder), tree), "utf-8")
                print(f"{path.name}: {path.stat().st_size} bytes")


def python_lock(recipe: Python, folder: Path, tree: Path | None) -> str:
    """The requirements of a recipe. folder: keeps `preferred`, the versions that earlier agents have."""
    wanted, preferred = folder / "wanted.in", folder / "preferred"
    wanted.write_text("\n".join([*recipe.packages, *(requirements_of(tree) if tree else ())]))
    chosen, whole = folder / "chosen.txt", folder / "pylock.toml"
    chosen.write_text(preferred.read_text() if preferred.exists() else "")
    version = ("--universal", "--fork-strategy", "fewest", "--python-version", min(recipe.versions))
    left_out = folder / "without.txt"
    left_out.write_text("\n".join(recipe.without))
    compiled = [UV, "pip", "compile", "-q", *version, "--excludes", str(left_out), str(wanted)]
    subprocess.run([*compiled, "--no-header", "--no-annotate", "-o", str(chosen)], check=True)
    with preferred.open("a") as file:
        file.write(chosen.read_text())
    whole.unlink(missing_ok=True)
    exactly = ("-c", str(chosen), "--format", "pylock.toml", "-o", str(whole))
    subprocess.run([*compiled, *exactly], check=True)
    packages = tomllib.loads(whole.read_text())["packages"]
    return "".join(locked(package, recipe.versions) for package in packages)


def requirements_of(tree: Path) -> list[str]:
    found: list[str] = tomllib.loads((tree / "pyproject.toml").read_text())["project"][
        "dependencies"
    ]
    return found


def locked(package: Mapping[str, Any], versions: Sequence[str]) -> str:
    """One package as a requirement with the hashes of what may be installed of it; "" where none ever is."""
    marker = package.get("marker")
    fits = [not marker or Marker(marker).evaluate(dict(one)) for one in places(versions)]
    if not any(fits):
        return ""
    condition = "" if all(fits) else f" ; {marker}"
    files = [one for one in package.get("wheels", ()) if fitting(file_name(one), versions)]
    hashes = [one["hashes"]["sha256"] for one in files or [package["sdist"]]]
    lines = "".join(f" \\\n    --hash=sha256:{one}" for one in sorted(hashes))
    return f"{package['name']}=={package['version']}{condition}{lines}\n"


def places(versions: Sequence[str]) -> Iterator[dict[str, str]]:
    """What a marker may be asked, wherever a toolbox is made."""
    for version in versions:
        for machine in MACHINES:
            yield {
                "python_version": version,
                "python_full_version": f"{version}.9",
                "platform_machine": machine,
                "sys_platform": "linux",
                "platform_system": "Linux",
                "os_name": "posix",
                "implementation_name": "cpython",
                "platform_python_implementation": "CPython",
                "extra": "",
            }


def file_name(wheel: Mapping[str, Any]) -> str:
    return str(wheel.get("name") or str(wheel["url"]).rpartition("/")[2])


def fitting(name: str, versions: Sequence[str]) -> bool:
    """Whether a wheel may be installed on one of the places."""
    try:
        tags = parse_wheel_filename(name)[3]
    except InvalidWheelFilename:
        return False
    exact = {f"cp{version.replace('.', '')}" for version in versions}
    return any(
        (
            tag.platform == "any"
            or (tag.platform.startswith("manylinux") and tag.platform.endswith(MACHINES))
        )
        and (tag.interpreter in {"py3", "py2.py3", *exact} or tag.abi == "abi3")
        for tag in tags
    )


def npm_lock(recipe: NodeRecipe, folder: Path) -> str:
    """npm's own lock of a recipe's packages, with the native programs of each processor."""
    npm = shutil.which("npm") or "npm"
    options = (
        "--package-lock-only",
        "--omit-lockfile-registry-resolved",
        "--ignore-scripts",
        "--no-audit",
    )
    whole: dict[str, Any] = {}
    for cpu in CPU_NAMES.values():
        place = folder / cpu / "toolbox"
        place.mkdir(parents=True)
        for_cpu = ("--os=linux", f"--cpu={cpu}", "--save-exact")
        argv = [npm, "install", "--prefix", str(place), *options, *for_cpu, *recipe.packages]
        subprocess.run(argv, check=True, cwd=place, stdout=subprocess.DEVNULL)
        found = json.loads((place / "package-lock.json").read_text())
        whole = {**found, "packages": {**whole.get("packages", {}), **found["packages"]}}
    packages = whole["packages"]
    for entry in packages.values():  # `npm ci` wants all of them there, those of other systems too
        drawn = entry.get("optionalDependencies", {})
        there = {name: one for name, one in drawn.items() if f"node_modules/{name}" in packages}
        if there != drawn:
            entry["optionalDependencies"] = there
    return json.dumps(whole, indent=1) + "\n"


if __name__ == "__main__":
    main()
