"""The base image: a minimal Debian built by debootstrap, or an image by name.

No registry is needed: debootstrap takes the packages from the mirror that the host's apt uses.
`ARENA_BASE_IMAGE` names an image to use instead (present here, or pulled where a registry answers).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from images.bootstrap import SUITE, ImageError, bootstrap_problem, make_base_archive
from images.content import content_of, is_own_name
from images.lock import Say

if TYPE_CHECKING:
    import docker

# Among the suites: OSS-Fuzz's own builder, which is not made here. It is named, or not to be had.
BUILDER = "base-builder"
# Suite -> the variable that names an image to use instead.
NAMED = {SUITE: "ARENA_BASE_IMAGE", BUILDER: "ARENA_OSS_FUZZ_BASE"}


def builder_named() -> bool:
    """Whether the user names an image of OSS-Fuzz's builder."""
    return bool(_named_by_user(BUILDER))


def base_reference(
    client: docker.DockerClient, labels: dict[str, str], say: Say, suite: str = SUITE
) -> str:
    """Name of the base image of a suite, built or pulled when it is not here yet. Raises ImageError."""
    named = _named_by_user(suite)
    if named:
        return _present_or_pulled(client, named, say)
    built, pulled = _names(suite)
    if client.images.list(name=built):
        return built
    if not bootstrap_problem():
        _import_bootstrapped(client, labels, say, suite)
        return built
    try:
        return _present_or_pulled(client, pulled, say)
    except ImageError as error:
        raise ImageError(
            f"no base image: {error}; as root with debootstrap installed one is made without a registry "
            "(apt-get install debootstrap), or name one in ARENA_BASE_IMAGE"
        ) from error


def base_here(client: docker.DockerClient, suite: str = SUITE) -> str | None:
    """The name that `base_reference` would return, if that image is here; builds and pulls nothing."""
    named = _named_by_user(suite)
    for name in (named,) if named else _names(suite):
        if client.images.list(name=name):
            return name
    return None


def base_content(client: docker.DockerClient, name: str, suite: str = SUITE) -> str:
    """The content of a base image that is here: Debian's suite, or the content of an image by name.

    Whether debootstrap or a registry provided the suite, and when, shows in the versions of its packages.
    """
    if name in _names(suite):
        return f"debian {suite}"
    return content_of(client.images.get(name).attrs).recipe


def _named_by_user(suite: str) -> str:
    """The image that the user names instead."""
    return os.environ.get(NAMED.get(suite, ""), "")


def _names(suite: str) -> tuple[str, str]:
    """What debootstrap makes, and what a registry may have."""
    return f"arena/base:{suite}", f"debian:{suite}-slim"


def _present_or_pulled(client: docker.DockerClient, name: str, say: Say) -> str:
    import docker.errors

    if client.images.list(name=name):
        return name
    if is_own_name(name):
        raise ImageError(f"{name} is not here, and images of that name are never pulled")
    say(f"pulling {name}")
    try:
        client.images.pull(name)
    except docker.errors.APIError as error:
        raise ImageError(f"{name} is not here and cannot be pulled: {error.explanation}") from error
    return name


def _import_bootstrapped(
    client: docker.DockerClient, labels: dict[str, str], say: Say, suite: str
) -> None:
    archive = make_base_archive(say, suite)
    repository, _, version = _names(suite)[0].partition(":")
    changes = [f"LABEL {key}={value}" for key, value in labels.items()]
    client.api.import_image(str(archive), repository=repository, tag=version, changes=changes)
    archive.unlink()
