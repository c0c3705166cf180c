"""Images of two Debian releases with every test framework that they have packages of.

The base is made by debootstrap from the mirror of the host's own apt, as `images` does; packages are
installed with the host's network, and nothing that runs in the images later has one.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from images.bootstrap import SUITE, apt_sources
from tests.real.releases import INSTALL_TIMEOUT_S

STABLE, NEWEST = SUITE, "trixie"
REPOSITORY = "arena-real-tests"
SCRIPTS = Path("/usr/share/debootstrap/scripts")
BUILD_TIMEOUT_S = 1500
PACKAGES = (
    "g++ make pkg-config cmake meson ninja-build automake autoconf perl python3 python3-pytest "
    "libgtest-dev catch2 doctest-dev libboost-test-dev libcriterion-dev libcmocka-dev check "
    "libsubunit-dev libcunit1-dev libcpputest-dev libunity-dev libcppunit-dev libglib2.0-dev "
    "qt6-base-dev bats dejagnu kyua libatf-dev atf-sh golang-go cargo nodejs"
)
# One by one: a release may lack a package, and its framework's tests say so when they do not build.
INSTALL = (
    "apt-get update && apt-get install -y --no-install-recommends ca-certificates && "
    f"for package in {PACKAGES}; do apt-get install -y --no-install-recommends $package "
    '|| echo "not in this release: $package"; done; apt-get clean'
)


def tools_image(suite: str) -> str:
    """The name of the image of a release with the frameworks, made where it is not there yet."""
    recipe = f"ENV DEBIAN_FRONTEND=noninteractive\nRUN {INSTALL}\n"
    tag = f"{REPOSITORY}:{suite}-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"
    if not _is_here(tag):
        text = f"FROM {_base_image(suite)}\n{recipe}"
        _docker(["build", "--network", "host", "-t", tag, "-"], BUILD_TIMEOUT_S, text.encode())
    return tag


def run_in_image(
    image: str, command: str, folders: Sequence[tuple[Path, str]], seconds: int
) -> None:
    """Run a shell command without a network as the user who asks; `folders`: (here, in the container).

    Raises CalledProcessError with its output, or TimeoutExpired.
    """
    mounts = [word for here, there in folders for word in ("-v", f"{here}:{there}")]
    user = f"{os.getuid()}:{os.getgid()}"
    limits = ["--network", "none", "--memory", "4g", "--pids-limit", "500", "--init"]
    shell = ["timeout", "-k", "5", str(seconds), "sh", "-c", command]
    words = ["run", "--rm", *limits, "--user", user, "-e", "HOME=/tmp", *mounts, image, *shell]
    _docker(words, seconds + 60)


def install_newest(folder: Path, python: Sequence[str], node: Sequence[str]) -> None:
    """Install the newest releases of packages of PyPI and npm below `folder`, for any Python."""
    if python:
        uv = Path(sys.executable).with_name("uv")
        command = [
            str(uv),
            "pip",
            "install",
            "-q",
            "--python",
            sys.executable,
            "--target",
            str(folder),
        ]
        subprocess.run([*command, *python], check=True, timeout=INSTALL_TIMEOUT_S)
        for program in (folder / "bin").iterdir():
            interpreter, _, text = program.read_bytes().partition(b"\n")
            if interpreter.startswith(
                b"#!"
            ):  # it names this machine's Python; cargo-nextest is no script
                program.write_bytes(b"#!/usr/bin/env python3\n" + text)
    if node:
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--prefix", str(folder)]
        subprocess.run([*command, *node], check=True, timeout=INSTALL_TIMEOUT_S)


def _base_image(suite: str) -> str:
    tag = f"{REPOSITORY}-base:{suite}"
    if _is_here(tag):
        return tag
    sources = apt_sources(suite)
    mirror = sources[0].split()[1]
    # debootstrap of the stable release does not know the next ones' names yet; all are made alike.
    script = [] if (SCRIPTS / suite).exists() else [str(SCRIPTS / "sid")]
    with tempfile.TemporaryDirectory(prefix="arena-real-") as scratch:
        root, archive = Path(scratch, "root"), Path(scratch, "root.tar")
        command = ["debootstrap", "--variant=minbase", suite, str(root), mirror, *script]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=BUILD_TIMEOUT_S)
        (root / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        tar = ["tar", "-C", str(root), "--numeric-owner", "-cf", str(archive), "."]
        subprocess.run(tar, check=True, timeout=BUILD_TIMEOUT_S)
        _docker(["import", str(archive), tag], BUILD_TIMEOUT_S)
    return tag


def _is_here(tag: str) -> bool:
    found = subprocess.run(["docker", "image", "inspect", tag], check=False, capture_output=True)
    return found.returncode == 0


def _docker(words: Sequence[str], seconds: int, given: bytes = b"") -> None:
    subprocess.run(
        ["docker", *words], input=given, check=True, capture_output=True, timeout=seconds
    )
