"""A CPython of the host, copied with its standard library and all libraries, so that it runs in any image."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.toolbox import elf
from harness.toolbox.faults import MISLEADING, ToolboxError, run
from harness.toolbox.files import clear, read_mark, write_mark

FORMAT = 1
MARK = "interpreter.json"
EXTENSIONS = "lib-dynload/*.so"
TIMEOUT_S = 20
# The library's tests and what no agent imports; `ensurepip` would be a second installer.
LEFT_OUT = {
    *("__pycache__", "test", "tests", "site-packages", "dist-packages"),
    *("idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip"),
}
LEFT_OUT_STARTS = ("config-", "_tkinter.", "_test", "_ctypes_test", "xxlimited")
NEEDED = ("ssl", "sqlite3", "ctypes", "json", "lzma", "bz2", "zlib", "venv", "hashlib", "uuid")
ASK = f"""
import importlib.util, json, platform, sys, sysconfig
missing = [name for name in {NEEDED!r} if importlib.util.find_spec(name) is None]
print(json.dumps([platform.python_implementation(), platform.python_version(), missing,
    sys.executable, sysconfig.get_path("platstdlib")]))
"""
TRY = f"import {', '.join(NEEDED)}, sys; print(sys.prefix, sys.executable, sep=chr(10))"


@dataclass(frozen=True)
class HostPython:
    """An interpreter of the host: its program, its version (X.Y.Z), its standard library."""

    executable: Path
    version: str
    stdlib: Path


@dataclass(frozen=True)
class Interpreter:
    """A copied interpreter. `path` is its folder, `lib` the folder of the loader and the libraries."""

    path: Path
    executable: Path
    version: str

    @property
    def lib(self) -> Path:
        return self.path / "lib"


def find(versions: Sequence[str]) -> HostPython:
    """The first interpreter of the host of these minor versions ("3.11"), best first.

    Raises ToolboxError, which says how to install a suitable interpreter.
    """
    refused: list[str] = []
    for version in versions:
        for candidate in dict.fromkeys(_candidates(version)):
            interpreter = _ask(candidate, version)
            if isinstance(interpreter, HostPython):
                return interpreter
            refused += [f"{candidate}: {interpreter}"] if interpreter else []
    wanted = " or ".join(versions)
    why = f" ({'; '.join(refused)})" if refused else ""
    raise ToolboxError(
        f"no Python {wanted} on this machine{why}; install one, e.g. `apt-get install python{versions[0]}`, "
        f"`uv python install {versions[0]}` or `pyenv install {versions[0]}`"
    )


def _candidates(version: str) -> Iterator[Path]:
    """Where an interpreter may be: the running interpreter, PATH, pyenv's folder, uv's folder."""
    name = f"python{version}"
    # The base of a virtual environment, whose standard library is elsewhere.
    yield Path(sys.base_prefix, "bin", name)
    for entry in os.get_exec_path():
        yield Path(entry, name)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    data = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local/share"))
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", data / "uv/python"))
    for root, pattern in ((pyenv, f"{version}.*"), (uv, f"cpython-{version}.*")):
        if root.is_dir():
            for folder in sorted(root.glob(pattern), reverse=True):
                yield folder / "bin" / name


def _ask(program: Path, version: str) -> HostPython | str:
    """An interpreter's description of itself, or why it cannot be used ("": it is no interpreter)."""
    if not program.is_file():
        return ""
    env = {name: value for name, value in os.environ.items() if name not in MISLEADING}
    try:
        done = subprocess.run(
            [program, "-I", "-c", ASK], env=env, capture_output=True, timeout=TIMEOUT_S, check=True
        )
        kind, full, missing, executable, stdlib = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""  # a shim of pyenv for a version that is not chosen, say
    if kind != "CPython" or not full.startswith(f"{version}."):
        return f"is {kind} {full}"
    if missing:
        return f"lacks {', '.join(missing)}"
    return HostPython(Path(executable).resolve(), full, Path(stdlib))


def copy(python: HostPython, folder: Path, say: Callable[[str], None]) -> Interpreter:
    """Copy an interpreter below `folder`, or return the copy that is there. Raises ToolboxError."""
    libraries = elf.libraries([python.executable])
    path = folder / f"python-{python.version}-{_digest(python, libraries)}"
    copied = Interpreter(path, path / "bin" / python.executable.name, python.version)
    if read_mark(path / MARK) is not None:
        return copied
    say(f"copying Python {python.version} of {python.executable}")
    clear(path, MARK)
    extensions = (path for path in python.stdlib.glob(EXTENSIONS) if not _left_out(path.name))
    needed = elf.with_families({**libraries, **elf.libraries(extensions)})
    (path / "bin").mkdir(parents=True)
    shutil.copy2(python.executable, copied.executable)
    stdlib = copied.lib / f"python{python.version.rpartition('.')[0]}"
    shutil.copytree(
        python.stdlib, stdlib, ignore=lambda _, names: [name for name in names if _left_out(name)]
    )
    # Empty: what a distribution has installed for its Python is no part of an agent.
    (stdlib / "site-packages").mkdir()
    elf.copy_libraries(needed, copied.lib)
    for extension in stdlib.glob(EXTENSIONS):
        elf.forget_folders(extension)
    elf.relocate(copied.executable, [copied.lib], elf.PRELOADED)
    for alias in ("python3", "python"):
        (path / "bin" / alias).symlink_to(python.executable.name)
    _compile(copied, stdlib)
    _try(copied)
    write_mark(
        path, MARK, {"version": python.version, "source": str(python.executable), "format": FORMAT}
    )
    return copied


def _left_out(name: str) -> bool:
    return name in LEFT_OUT or name.startswith(LEFT_OUT_STARTS)


def _digest(python: HostPython, libraries: dict[str, Path]) -> str:
    """Identity of what is copied: the program, its version and the libraries that it starts with."""
    whole = hashlib.sha256(f"{FORMAT} {python.version} {python.stdlib}".encode())
    for name, path in sorted({**libraries, "": python.executable}.items()):
        whole.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:12]


def _compile(interpreter: Interpreter, stdlib: Path) -> None:
    """Byte code now, since the folder is read-only where it is used; checked against no file time."""
    run(
        [
            *(interpreter.executable, "-I", "-m", "compileall", "-q", "-j", "2"),
            *("--invalidation-mode", "unchecked-hash", stdlib),
        ]
    )


def _try(interpreter: Interpreter) -> None:
    lines = run([interpreter.executable, "-I", "-c", TRY]).split("\n")
    # An interpreter with a compiled-in prefix would use the host's library here, and nothing in a container.
    if lines[:2] != [str(interpreter.path), str(interpreter.executable)]:
        raise ToolboxError(
            f"{interpreter.executable}: the copied Python takes itself for {lines[0]}"
        )
