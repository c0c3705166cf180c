"""The base image: a minimal Debian made by debootstrap, or an image by name.

No registry is needed: debootstrap takes the packages from the mirror that the host's own apt uses.
`ARENA_BASE_IMAGE` names an image to use instead (present here, or pulled where a registry answers).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import docker

SUITE = "bookworm"
SLIM = "path-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\npath-exclude=/usr/share/locale/*\n"
PULLED_DEFAULT = "debian:bookworm-slim"

Say = Callable[[str], None]


class ImageError(Exception):
    """An image cannot be made; the message says what is missing and how to get it."""


def base_reference(client: docker.DockerClient, labels: dict[str, str], say: Say) -> str:
    """Name of the base image, made when it is not here yet. Raises ImageError."""
    named = os.environ.get("ARENA_BASE_IMAGE")
    if named:
        return _present_or_pulled(client, named, say)
    tag = f"arena/base:{SUITE}"
    if client.images.list(name=tag):
        return tag
    if not bootstrap_problem():
        _import_bootstrapped(client, tag, labels, say)
        return tag
    try:
        return _present_or_pulled(client, PULLED_DEFAULT, say)
    except ImageError as error:
        raise ImageError(
            f"no base image: {error}; as root with debootstrap installed one is made without a registry "
            "(apt-get install debootstrap), or name one in ARENA_BASE_IMAGE"
        ) from error


def base_here(client: docker.DockerClient) -> str | None:
    """The name that `base_reference` would give, if that image is here; nothing is made or pulled."""
    named = os.environ.get("ARENA_BASE_IMAGE")
    for name in (named,) if named else (f"arena/base:{SUITE}", PULLED_DEFAULT):
        if client.images.list(name=name):
            return name
    return None


def bootstrap_problem() -> str:
    """Why debootstrap cannot make a base here ("" when it can)."""
    if not shutil.which("debootstrap"):
        return "debootstrap is not installed"
    return "" if os.geteuid() == 0 else "debootstrap needs root"


def _present_or_pulled(client: docker.DockerClient, name: str, say: Say) -> str:
    import docker.errors

    if client.images.list(name=name):
        return name
    say(f"pulling {name}")
    try:
        client.images.pull(name)
    except docker.errors.APIError as error:
        raise ImageError(f"{name} is not here and cannot be pulled: {error.explanation}") from error
    return name


def apt_sources() -> list[str]:
    """Lines for sources.list, from the sources of Debian itself that the host's apt is set up with."""
    layout = "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)"
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format", layout, "Created-By: Packages"],
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, None] = {}
    for line in asked.stdout.splitlines():
        origin, uri, release, component = (*line.split("|"), "", "", "", "")[:4]
        if origin == "Debian" and release.startswith(SUITE) and component == "main":
            found[f"deb {uri} {release} main"] = None
    if not found:
        raise ImageError("the host's apt names no Debian mirror: run apt-get update once")
    return sorted(found, key=lambda text: text.split()[2])


def _import_bootstrapped(
    client: docker.DockerClient, tag: str, labels: dict[str, str], say: Say
) -> None:
    sources = apt_sources()
    mirror = next(line.split()[1] for line in sources if line.split()[2] == SUITE)
    say(f"making {tag} with debootstrap (about a minute, once)")
    with tempfile.TemporaryDirectory(prefix="arena-base-") as scratch:
        root, tar = Path(scratch, "root"), Path(scratch, "root.tar")
        _run(["debootstrap", "--variant=minbase", SUITE, str(root), mirror])
        (root / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        (root / "etc/dpkg/dpkg.cfg.d/slim").write_text(SLIM)
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        _run(["tar", "-C", str(root), "--numeric-owner", "-cf", str(tar), "."])
        changes = [f"LABEL {key}={value}" for key, value in labels.items()]
        repository, _, version = tag.partition(":")
        client.api.import_image(str(tar), repository=repository, tag=version, changes=changes)


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        tail = done.stdout.decode(errors="replace").strip().splitlines()[-3:]
        raise ImageError(f"{argv[0]} failed: {' / '.join(tail)}")
