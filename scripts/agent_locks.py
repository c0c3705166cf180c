"""Locks of the agents: every package of a toolbox with version and hashes, and no address.

    .venv/bin/python scripts/agent_locks.py [AGENT...] [--swe-agent TREE] [--keep] [--newest FOLDER]

Resolves anew what `harness/agents/*.py` pin, for Linux with glibc on x86_64 and aarch64 and the Pythons of
each recipe. What an agent's lock has, the next agents take over where they can, so that toolboxes share
files. With --keep the locks as they are count first: where a package moves, only what it requires moves with
it. With --newest the locks are of each agent's newest release, and are written to a folder for a trial.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from packaging.markers import Marker
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from harness.agents._make import load_program
from harness.toolbox.node import CPU_NAMES
from harness.toolbox.recipe import Installable, NodeRecipe, Python, Recipe

# Aider leaves no choice of versions; so it comes first.
ORDER = ("aider", "mini-swe-agent", "swe-agent", "openhands", "openhands-cli")
NODE = ("codex", "opencode", "claude-code")
MACHINES = ("x86_64", "aarch64")
UV = str(Path(sys.executable).with_name("uv"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*", default=[*ORDER, *NODE])
    parser.add_argument(
        "--swe-agent", type=Path, help="its source tree, of which the requirements are read"
    )
    parser.add_argument(
        "--keep", action="store_true", help="prefer the versions of the present locks"
    )
    parser.add_argument("--newest", type=Path, help="a folder for the locks of the newest releases")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in (*ORDER, *NODE):
            if name in options.agents:
                program = load_program(name)
                present = Path(program.recipe.lock)
                path = options.newest / present.name if options.newest else present
                recipe = newest(program) if options.newest else program.recipe
                if isinstance(recipe, NodeRecipe):
                    text = npm_lock(recipe, Path(folder, name))
                else:
                    tree = options.swe_agent if recipe.source else None
                    preferred = present.read_text("utf-8") if options.keep else ""
                    text = python_lock(recipe, Path(folder), tree, preferred)
                path.write_text(text, "utf-8")
                print(f"{path.name}: {path.stat().st_size} bytes")


def newest(program: Installable) -> Recipe:
    """A program's recipe at its newest release: packages of the program's version lose their pin.

    Packages of a different version, such as LiteLLM's, are pinned for a reason and stay.
    """
    recipe = program.recipe
    if isinstance(recipe, NodeRecipe):
        latest = [f"{package.rpartition('@')[0]}@latest" for package in recipe.packages]
        return replace(recipe, packages=tuple(latest))
    ending = f"=={program.version}"
    return replace(
        recipe, packages=tuple(package.removesuffix(ending) for package in recipe.packages)
    )


def python_lock(recipe: Python, folder: Path, tree: Path | None, present: str = "") -> str:
    """The requirements of a recipe. folder: keeps `preferred`, the versions that earlier agents have.

    present: the lock as it is, of which versions stay where nothing requires others.
    """
    wanted, preferred = folder / "wanted.in", folder / "preferred"
    wanted.write_text("\n".join([*recipe.packages, *(requirements_of(tree) if tree else ())]))
    chosen, whole = folder / "chosen.txt", folder / "pylock.toml"
    unpinned = {each for each in recipe.packages if "==" not in each}
    blocks = [
        each for each in re.split(r"(?m)^(?=\w)", present) if each.split("==")[0] not in unpinned
    ]
    chosen.write_text("".join(blocks) + (preferred.read_text() if preferred.exists() else ""))
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
    return "".join(lock_package(package, recipe.versions) for package in packages)


def requirements_of(tree: Path) -> list[str]:
    requirements: list[str] = tomllib.loads((tree / "pyproject.toml").read_text())["project"][
        "dependencies"
    ]
    return requirements


def lock_package(package: Mapping[str, Any], versions: Sequence[str]) -> str:
    """A package as a requirement with the hashes of its installable files; "" where it is never installed."""
    marker = package.get("marker")
    fits = [not marker or Marker(marker).evaluate(dict(each)) for each in places(versions)]
    if not any(fits):
        return ""
    condition = "" if all(fits) else f" ; {marker}"
    files = [each for each in package.get("wheels", ()) if fitting(file_name(each), versions)]
    hashes = [each["hashes"]["sha256"] for each in files or [package["sdist"]]]
    lines = "".join(f" \\\n    --hash=sha256:{each}" for each in sorted(hashes))
    return f"{package['name']}=={package['version']}{condition}{lines}\n"


def places(versions: Sequence[str]) -> Iterator[dict[str, str]]:
    """The environments in which a marker is evaluated, for every machine with a toolbox."""
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
    """Whether a wheel can be installed in at least some environment."""
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
    """npm's lock of a recipe's packages, with the native programs of each processor."""
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
        lock = json.loads((place / "package-lock.json").read_text())
        whole = {**lock, "packages": {**whole.get("packages", {}), **lock["packages"]}}
    packages = whole["packages"]
    for entry in packages.values():  # `npm ci` wants all of them there, those of other systems too
        drawn = entry.get("optionalDependencies", {})
        there = {
            name: package_facts
            for name, package_facts in drawn.items()
            if f"node_modules/{name}" in packages
        }
        if there != drawn:
            entry["optionalDependencies"] = there
    return json.dumps(whole, indent=1) + "\n"


if __name__ == "__main__":
    main()
