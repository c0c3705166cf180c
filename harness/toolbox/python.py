"""Packages of Python in a separate environment, run by a copied interpreter, installed by uv.

Files are hard links into a cache beside the toolboxes, and so is byte code that is the same: a second agent
costs what it has and the first has not.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from harness.toolbox import files
from harness.toolbox.faults import ToolboxError, run
from harness.toolbox.interpreter import Interpreter
from harness.toolbox.recipe import Python
from harness.toolbox.source import lay_down

LOG = "install.log"
SOURCE = "source"
PACKAGES = "lib/python3.*/site-packages"
UV_OPTIONS = ("--quiet", "--link-mode", "hardlink")
# The name in "name==1.0" and in the file name of a wheel.
BARE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*?(?===|-\d|$)")
# Byte code now, since the folder is read-only where it is used; checked against no file time.
COMPILE = ("-m", "compileall", "-q", "-j", "2", "--invalidation-mode", "unchecked-hash")


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
    # By links to the copied interpreter, which is mounted at the same path in every container.
    run([interpreter.executable, "-I", "-m", "venv", "--without-pip", "--symlinks", env])
    if recipe.source is not None and source is not None:
        say(f"taking {recipe.source.tag} of {source}")
        lay_down(recipe.source, source, folder / SOURCE)
    if recipe.packages:
        wanted = (
            # The lock lists every package with its hash: nothing is resolved, no later release changes it.
            ("--no-deps", "--require-hashes", "-r", recipe.lock) if recipe.lock else recipe.packages
        )
        say(f"installing {' '.join(recipe.packages)}")
        _uv(folder, env, *wanted)
    if source is not None:
        say("installing the source tree")
        # Isolation would fetch build tools from an index; the lock has them.
        _uv(folder, env, "--no-deps", "--no-build-isolation", f"./{SOURCE}")
    say("compiling")
    _compile(env)
    files.share(env, files.cache_of(folder) / "bytecode", "*.pyc")
    installed = _installed_distributions(env)
    named = [distribution for distribution in installed if _was_named(distribution, recipe)]
    return {
        "packages": {distribution.name: distribution.version for distribution in installed},
        "programs": _link_programs(folder, env, named),
        "modules": sorted({module for distribution in named for module in _modules(distribution)}),
    }


def _uv(folder: Path, env: Path, *wanted: str) -> None:
    """Installed from outside, so that the toolbox holds no installer."""
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    if uv is None:
        raise ToolboxError("uv is missing: install the package `uv` beside the arena")
    environment = {"UV_CACHE_DIR": str(files.cache_of(folder) / "uv"), **_read_pip_options()}
    argv = [uv, "pip", "install", "--python", str(env / "bin/python"), *UV_OPTIONS, *wanted]
    run(argv, log=folder / LOG, cwd=folder, more=environment)
    for listed in Path(environment["UV_CACHE_DIR"]).glob("simple-*"):
        shutil.rmtree(listed, ignore_errors=True)  # an index's lists of files, as large as an agent


def _read_pip_options() -> dict[str, str]:
    """The index and the certificates of the user's pip, where uv has none configured."""
    options: dict[str, str] = {}
    if "UV_DEFAULT_INDEX" not in os.environ:
        index = os.environ.get("PIP_INDEX_URL") or _pip_setting("global.index-url")
        options |= {"UV_DEFAULT_INDEX": index} if index else {}
    if "SSL_CERT_FILE" not in os.environ and (cert := os.environ.get("PIP_CERT")):
        options["SSL_CERT_FILE"] = cert
    return options


def _pip_setting(name: str) -> str:
    try:
        return run([sys.executable, "-m", "pip", "config", "get", name]).strip()
    except ToolboxError:  # no pip, or it is not set
        return ""


def _compile(env: Path) -> None:
    """Without the folder's path in it, the same code gives the same bytes in each toolbox."""
    for packages in env.glob(PACKAGES):
        try:
            run([env / "bin/python", "-I", *COMPILE, "-s", packages, packages])
        except ToolboxError:  # a package may ship a template that is no Python
            continue


def _installed_distributions(env: Path) -> list[Distribution]:
    folders = [str(path) for path in env.glob(PACKAGES)]
    return sorted(distributions(path=folders), key=lambda distribution: distribution.name.lower())


def _was_named(distribution: Distribution, recipe: Python) -> bool:
    """Whether the recipe names a package itself, rather than drawing it in as a requirement."""
    if recipe.source is not None:
        return _plain(distribution.name) == _plain(recipe.source.package)
    return _plain(distribution.name) in set(_names(recipe))


def _names(recipe: Python) -> Iterator[str]:
    for package in recipe.packages:
        if match := BARE_NAME.match(package.rpartition("/")[2]):
            yield _plain(match[0])


def _plain(name: str) -> str:
    """A name as packages are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _link_programs(folder: Path, env: Path, named: list[Distribution]) -> list[str]:
    """Programs of the named packages only, so that `bin` on PATH hides little of the image.

    `bin/python` finds its environment by a `pyvenv.cfg` beside `bin`, as the interpreter of `env` does.
    """
    (folder / "bin").mkdir()
    programs = {
        entry.name
        for distribution in named
        for entry in distribution.entry_points
        if entry.group == "console_scripts" and (env / "bin" / entry.name).is_file()
    }
    for name in sorted(programs):
        (folder / "bin" / name).symlink_to(f"../env/bin/{name}")
    (folder / "lib").symlink_to("env/lib")
    shutil.copyfile(env / "pyvenv.cfg", folder / "pyvenv.cfg")
    (folder / "bin/python").symlink_to((env / "bin/python").resolve())
    return sorted(programs)


def _modules(distribution: Distribution) -> set[str]:
    """Import names of a package, by the files that it installed."""
    tops = {
        Path(str(file)).parts[0]
        for file in distribution.files or ()
        if len(Path(str(file)).parts) == 2
    }
    files = {str(file) for file in distribution.files or ()}
    packages = {top for top in tops if top.isidentifier() and f"{top}/__init__.py" in files}
    single = {file[:-3] for file in files if file.endswith(".py") and file[:-3].isidentifier()}
    return packages | single
