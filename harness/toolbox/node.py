"""Packages of npm: the native program that a package brings, or its script with a copied node."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.toolbox import elf
from harness.toolbox.faults import ToolboxError, run
from harness.toolbox.interpreter import Interpreter
from harness.toolbox.recipe import NodeRecipe

LOG = "install.log"
NPM_OPTIONS = (
    # Scripts of packages would run with the user's rights on this machine.
    *("--no-audit", "--no-fund", "--ignore-scripts"),
    *("--prefer-offline", "--loglevel=error"),
)
MODULES = "node_modules"
CPU_NAMES = {"x86_64": "x64", "aarch64": "arm64"}
MAX_DESCRIPTION = 4 << 20
WRAPPER = '#!/bin/sh\nexec "{node}" "{script}" "$@"\n'


def install(
    recipe: NodeRecipe, folder: Path, interpreter: Interpreter, say: Callable[[str], None]
) -> dict[str, Any]:
    """Make `folder/node_modules`, and in `folder/bin` the programs of the named packages.

    No package's install script is run: what they do is link the native program, which is done here.
    Returns the facts: versions of all packages, the programs. Raises ToolboxError.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise ToolboxError("npm is not on this machine; install Node.js 18 or later")
    say(f"installing {' '.join(recipe.packages)}")
    wanted = ["ci"] if recipe.lock else ["install", *recipe.packages]
    if recipe.lock:
        _write_locked(Path(recipe.lock), folder)
    run([npm, *wanted, "--prefix", folder, *NPM_OPTIONS], log=folder / LOG, cwd=folder)
    (folder / "bin").mkdir()
    programs: list[str] = []
    for package in recipe.packages:
        home = folder / MODULES / _bare(package)
        for name, script in _programs(home).items():
            _provide(recipe, folder, interpreter, name, script)
            programs.append(name)
    return {"packages": _versions(folder), "programs": sorted(programs), "modules": []}


def _write_locked(lock: Path, folder: Path) -> None:
    """The lock as npm reads it, and the description that it is a lock of."""
    whole = json.loads(lock.read_text("utf-8"))
    named = {"dependencies": whole["packages"][""]["dependencies"]}
    (folder / "package.json").write_text(json.dumps(named), "utf-8")
    shutil.copyfile(lock, folder / "package-lock.json")


def _bare(package: str) -> str:
    """The name in "@scope/name@1.2"."""
    return package[0] + package[1:].partition("@")[0]


def _description(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            description = json.loads(file.read(MAX_DESCRIPTION))
    except (OSError, ValueError) as error:
        raise ToolboxError(f"{path}: cannot be read ({error})") from error
    return description if isinstance(description, dict) else {}


def _programs(home: Path) -> dict[str, Path]:
    """Programs that a package declares ("bin" of its package.json): name -> its script."""
    description = _description(home / "package.json")
    declared = description.get("bin") or {}
    if isinstance(declared, str):
        declared = {home.name: declared}
    programs = {Path(str(name)).name: home / str(script) for name, script in declared.items()}
    if not programs:
        raise ToolboxError(f"{home / 'package.json'}: bin: the package brings no program")
    return programs


def _provide(
    recipe: NodeRecipe, folder: Path, interpreter: Interpreter, name: str, script: Path
) -> None:
    """Put a program into `bin`."""
    target = folder / "bin" / name
    native = min(_natives(folder / MODULES, name), key=_preference, default=None)
    if native is not None:
        _make_relocated(native, folder, interpreter)
        target.symlink_to(os.path.relpath(native, target.parent))
    elif recipe.node:
        node = _copied_node(folder, interpreter)
        target.write_text(WRAPPER.format(node=node, script=script.resolve()), "utf-8")
        target.chmod(0o755)
    else:
        raise ToolboxError(f"{name}: its package brings no native program for this machine")


def _natives(modules: Path, name: str) -> Iterator[Path]:
    """Native programs of that name for this processor, in any of the packages that npm chose."""
    foreign = set(CPU_NAMES.values()) - {CPU_NAMES.get(platform.machine(), "")}
    for path in modules.rglob(f"{name}*"):
        fits = not any(f"-{cpu}" in part for part in path.parts for cpu in foreign)
        named = path.name in (name, f"{name}.exe") and not path.is_symlink()
        if named and fits and elf.is_elf(path):
            yield path


def _preference(path: Path) -> tuple[bool, bool, int, str]:
    """glibc before musl (whose loader is not copied), and `baseline` only where AVX2 is missing."""
    package = path.relative_to(path.anchor).as_posix()
    dynamic_musl = "musl" in package and not elf.is_static(path)
    wrong_kind = ("-baseline" in package) == _has_avx2()
    return dynamic_musl, wrong_kind, len(path.parts), package


def _has_avx2() -> bool:
    try:
        return " avx2 " in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    except OSError:
        return False


def _make_relocated(program: Path, folder: Path, interpreter: Interpreter) -> None:
    """Bind a program to the copied libraries; those that the interpreter has not are copied too.

    Programs compiled by Bun keep their payload in a separate section, which patchelf leaves whole.
    """
    program.chmod(0o755)
    if elf.is_static(program):
        return
    more = {
        name: path
        for name, path in elf.libraries([program]).items()
        if not (interpreter.lib / name).exists()
    }
    library_folder = folder / "lib"
    if more:
        elf.copy_libraries(more, library_folder)
    elf.relocate(program, [interpreter.lib, library_folder])


def _copied_node(folder: Path, interpreter: Interpreter) -> Path:
    copy = folder / "node"
    if not copy.exists():
        binary = shutil.which("node")
        if binary is None:
            raise ToolboxError("node is not on this machine; install Node.js 18 or later")
        shutil.copyfile(Path(binary).resolve(), copy)
        _make_relocated(copy, folder, interpreter)
    return copy


def _versions(folder: Path) -> dict[str, str]:
    """All packages that npm installed, by npm's list of them."""
    listed = _description(folder / MODULES / ".package-lock.json").get("packages", {})
    return {
        name.rpartition(f"{MODULES}/")[2]: str(entry.get("version", ""))
        for name, entry in sorted(listed.items())
        if name
    }
