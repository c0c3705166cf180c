"""A minimal Debian built by debootstrap, as a tar archive that an engine can import.

`python3 -m images.bootstrap` builds it ahead, where it will be needed: it needs nothing but Python's standard
library, so that `scripts/demo` runs it while the Python packages are being installed.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from images.lock import Say, exclusive_lock

SUITE = "bookworm"
# For sources that today's distribution no longer builds: it has Python 2, glibc 2.31 and OpenSSL 1.1.
OLDER = "bullseye"
TAG = f"arena/base:{SUITE}"
# Where the archive of the base waits to be imported. Only root writes there, and only root makes it.
ARCHIVE = Path("/var/cache/arena", f"base-{SUITE}.tar")
# Seconds after which an archive that nobody has imported is built anew.
FRESH = 86_400
# dpkg's settings: an image that is lost in a power cut is made anew, and nobody reads manuals in it.
SLIM = """\
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/info/*
"""
# Emptied before it is packed; the folders stay, as packages make links in those of manuals.
UNREAD = (
    *(f"usr/share/{name}" for name in ("doc", "man", "locale", "info")),
    *("var/lib/apt/lists", "var/cache/apt"),
)


class ImageError(Exception):
    """An image cannot be built; the message says what is missing and how to get it."""


def bootstrap_problem() -> str:
    """Why debootstrap cannot make a base here ("" when it can)."""
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    return "" if os.geteuid() == 0 else "debootstrap needs root"


def apt_sources(suite: str = SUITE) -> list[str]:
    """Lines for sources.list, from the sources of Debian itself that the host's apt is set up with.

    Of a suite that is not the host's, the archive alone: its updates may no longer exist.
    """
    layout = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", layout, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    sources: dict[str, None] = {}
    for line in listing.stdout.splitlines():
        origin, uri, release, component = (*line.split("|"), "", "", "", "")[:4]
        fits = release.startswith(SUITE) if suite == SUITE else release == SUITE
        if origin == "Debian" and fits and component == "main":
            sources[f"deb {uri} {suite}{release.removeprefix(SUITE)} main"] = None
    if not sources:
        raise ImageError("the host's apt names no Debian mirror: run apt-get update once")
    return sorted(sources, key=lambda text: text.split()[2])


def make_base_archive(say: Say, suite: str = SUITE) -> Path:
    """Path of the archive of a suite, built unless today's is there; the caller that imports it removes it.

    Raises ImageError. To be called with `images.lock.exclusive_lock` held.
    """
    archive = ARCHIVE if suite == SUITE else ARCHIVE.with_name(f"base-{suite}.tar")
    if archive.is_file() and time.time() - archive.stat().st_mtime < FRESH:
        return archive
    sources = apt_sources(suite)
    mirror = next((line.split()[1] for line in sources if line.split()[2] == suite), "")
    if not mirror:
        raise ImageError(f"the host's apt names no mirror of {suite}: run apt-get update once")
    say(f"making arena/base:{suite} with debootstrap (74 MB; half a minute to a minute, once)")
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="arena-base-") as scratch:
        root, tar = Path(scratch, "root"), archive.with_suffix(".half")
        slim = root / "etc/dpkg/dpkg.cfg.d/slim"
        slim.parent.mkdir(parents=True)
        slim.write_text(SLIM)
        _run(["debootstrap", "--variant=minbase", suite, str(root), mirror])
        (root / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        for folder in UNREAD:
            _empty(root / folder)
        _run(["tar", "-C", str(root), "--numeric-owner", "-cf", str(tar), "."])
        tar.replace(archive)
    return archive


def _empty(folder: Path) -> None:
    """Remove all files below a folder."""
    for path in list(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            path.unlink()


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        tail = done.stdout.decode(errors="replace").strip().splitlines()[-3:]
        raise ImageError(f"{argv[0]} failed: {' / '.join(tail)}")


class _Socket(http.client.HTTPConnection):
    """HTTP to an engine that listens on a socket of this machine."""

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self.host)


def _is_wanted() -> bool:
    """Whether an engine of this machine answers, has no base image, and none is named to be used."""
    address = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if os.environ.get("ARENA_BASE_IMAGE") or not address.startswith("unix://"):
        return False
    engine = _Socket(address.removeprefix("unix://"))
    try:
        engine.request("GET", f"/images/{TAG}/json", headers={"Host": "engine"})
        return engine.getresponse().status == http.HTTPStatus.NOT_FOUND
    except (OSError, http.client.HTTPException):
        return False
    finally:
        engine.close()


def _say(text: str) -> None:
    print(f"images: {text}", file=sys.stderr)


def main() -> int:
    """Make the archive ahead where it will be needed; 1 when that failed, and it says why."""
    with exclusive_lock(_say):
        if bootstrap_problem() or not _is_wanted():
            return 0
        try:
            make_base_archive(_say)
        except (ImageError, OSError) as error:
            _say(str(error))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
