"""Packages of Python in an environment of their own, run by a copied interpreter."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from importlib.metadata import Distribution, PackageNotFoundError, distributions, version
from pathlib import Path
from typing import Any

from harness.toolbox.faults import ToolboxError, run
from harness.toolbox.interpreter import Interpreter
from harness.toolbox.recipe import Python

LOG = "install.log"
SOURCE = "source"
PIP_SINCE = (22, 3)
"""The first that installs into another interpreter's environment (`--python`)."""
NOT_SOURCE = shutil.ignore_patterns(".git", ".venv", "__pycache__", "node_modules")
PIP_OPTIONS = (
    *("install", "--no-input", "--quiet", "--disable-pip-version-check"),
    *("--no-warn-script-location", "--prefer-binary", "--compile"),
)
UV_OPTIONS = ("install", "--quiet", "--compile-bytecode", "--link-mode", "copy")


def install(
    recipe: Python,
    folder: Path,
    interpreter: Interpreter,
    source: Path | None,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Make `folder/env`, and in `folder/bin` the programs of the named packages and `python`.

    `source` is copied to `folder/source` and installed with the packages. Returns the facts: versions
    of all packages, the programs, the modules of the named packages. Raises ToolboxError.
    """
    env = folder / "env"
    run([interpreter.executable, "-I", "-m", "venv", "--without-pip", "--symlinks", env])
    wanted = list(recipe.packages)
    if source is not None:
        shutil.copytree(source, folder / SOURCE, symlinks=True, ignore=NOT_SOURCE)
        wanted.append(f"./{SOURCE}")
    if wanted:
        say(f"installing {' '.join(wanted)}")
        installer = _installer(env / "bin/python")
        run([*installer, *wanted], log=folder / LOG, cwd=folder)
    named = [found for found in _installed(env) if _was_named(found)]
    return {
        "packages": {found.name: found.version for found in _installed(env)},
        "programs": _link_programs(folder, env, named),
        "modules": sorted({module for found in named for module in _modules(found)}),
    }


def _installer(python: Path) -> list[str]:
    """pip beside the arena, else uv: both install from outside, so that the toolbox holds neither."""
    if _pip_version() >= PIP_SINCE:
        return [sys.executable, "-m", "pip", "--python", str(python), *PIP_OPTIONS]
    if uv := shutil.which("uv"):
        return [uv, "pip", UV_OPTIONS[0], "--python", str(python), *UV_OPTIONS[1:]]
    raise ToolboxError(
        f"neither pip (22.3 or later, for {sys.executable}) nor uv is on this machine"
    )


def _pip_version() -> tuple[int, ...]:
    try:
        parts = version("pip").split(".")
    except PackageNotFoundError:
        return ()
    return tuple(int(part) for part in parts if part.isdigit())


def _installed(env: Path) -> list[Distribution]:
    folders = [str(path) for path in env.glob("lib/python3.*/site-packages")]
    return sorted(distributions(path=folders), key=lambda found: found.name.lower())


def _was_named(found: Distribution) -> bool:
    """Was it asked for, rather than drawn in? (The file REQUESTED of PEP 376.)"""
    return found.read_text("REQUESTED") is not None


def _link_programs(folder: Path, env: Path, named: list[Distribution]) -> list[str]:
    """Programs of the named packages only, so that `bin` on PATH hides little of the image.

    `bin/python` finds its environment by a `pyvenv.cfg` beside `bin`, as the one of `env` does.
    """
    (folder / "bin").mkdir()
    programs = {
        entry.name
        for found in named
        for entry in found.entry_points
        if entry.group == "console_scripts" and (env / "bin" / entry.name).is_file()
    }
    for name in sorted(programs):
        (folder / "bin" / name).symlink_to(f"../env/bin/{name}")
    (folder / "lib").symlink_to("env/lib")
    shutil.copyfile(env / "pyvenv.cfg", folder / "pyvenv.cfg")
    (folder / "bin/python").symlink_to((env / "bin/python").resolve())
    return sorted(programs)


def _modules(found: Distribution) -> set[str]:
    """Names to import that a package brings, by what it laid down."""
    tops = {
        Path(str(file)).parts[0] for file in found.files or () if len(Path(str(file)).parts) == 2
    }
    files = {str(file) for file in found.files or ()}
    packages = {top for top in tops if top.isidentifier() and f"{top}/__init__.py" in files}
    single = {file[:-3] for file in files if file.endswith(".py") and file[:-3].isidentifier()}
    return packages | single
