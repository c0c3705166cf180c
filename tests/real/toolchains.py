"""Compilers to be had here: those of this Debian, those of a newer Debian in a folder of its own, zig's."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.real.releases import install

# The suite that has the newest releases of gcc, clang, cppcheck and AFL++ with a fixed name (2026-11).
NEWER_DEBIAN = "forky"
NEWER_PACKAGES = ("gcc", "g++", "clang", "llvm", "libclang-rt-dev", "cppcheck", "afl++")
BOOTSTRAP_TIMEOUT_S = 1500
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "arena-tests"
# How Debian's newer suites are laid out; an older debootstrap has no name for them.
_SCRIPT = Path("/usr/share/debootstrap/scripts/sid")
# /proc is mounted in a namespace that ends with the command: the sanitizers read their own maps there.
# A TMPDIR of this machine is no folder there, and clang 21 compiles nothing without it.
_ENTER = 'unset TMPDIR; root=$1; shift; mount -t proc proc "$root/proc" && exec chroot "$root" "$@"'


class NewerDebianMissing(Exception):
    """No newer Debian can be laid out here; the message says why."""


@dataclass(frozen=True)
class Toolchain:
    """A compiler of C and C++.

    name: as the table has it, `gcc-16`. c, cxx: the commands. root: the folder of the system it runs in.
    """

    name: str
    c: tuple[str, ...]
    cxx: tuple[str, ...]
    root: Path = Path("/")

    @property
    def family(self) -> str:
        """gcc, clang or zig."""
        return self.name.partition("-")[0]


def enter(root: Path, command: Sequence[str | Path]) -> list[str]:
    """`command` as it runs in the system at `root`: paths in it are those of that system."""
    words = [str(word) for word in command]
    if root == Path("/"):
        return words
    return ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(root), *words]


def newer_debian() -> Path:
    """The root of a newer Debian, laid out on first use (three minutes, 2 GB), from this machine's own mirror.

    Raises NewerDebianMissing.
    """
    root = CACHE / f"debian-{NEWER_DEBIAN}"
    if (root / "complete").exists():
        return root
    if os.geteuid() != 0 or not _SCRIPT.exists():
        raise NewerDebianMissing("it takes root and debootstrap")
    listing = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    mirrors = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split()
    if not mirrors:
        raise NewerDebianMissing("apt knows no mirror")
    include = f"--include={','.join(NEWER_PACKAGES)}"
    command = ["debootstrap", "--variant=minbase", include, NEWER_DEBIAN, str(root)]
    done = subprocess.run(
        [*command, max(mirrors, key=mirrors.count), str(_SCRIPT)],
        check=False,
        capture_output=True,
        text=True,
        timeout=BOOTSTRAP_TIMEOUT_S,
    )
    if done.returncode != 0:
        raise NewerDebianMissing(done.stdout.strip().rpartition("\n")[2])
    (root / "complete").touch()
    return root


def installed_compilers(root: Path) -> Iterator[Toolchain]:
    """The releases of gcc and clang in the system at `root`, by their names with a number."""
    for family, cxx in (("gcc", "g++"), ("clang", "clang++")):
        programs = (root / "usr/bin").glob(f"{family}-*")
        numbers = sorted(int(m[1]) for p in programs if (m := re.fullmatch(r"\w+-(\d+)", p.name)))
        for number in numbers:
            if (root / f"usr/bin/{cxx}-{number}").exists():
                name = f"{family}-{number}"
                yield Toolchain(name, (name,), (f"{cxx}-{number}",), root)


def newest_zig(folder: Path) -> Toolchain:
    """zig's compiler of C and C++, the newest release on PyPI, installed into `folder`."""
    python = str(install(folder, "ziglang") / "python")
    listing = [python, "-m", "ziglang", "version"]
    version = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.strip()
    commands = [(python, "-m", "ziglang", word) for word in ("cc", "c++")]
    return Toolchain(f"zig-{version}", *commands)
