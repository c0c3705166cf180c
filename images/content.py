"""The content of an image, described without its id: the same on every machine and after a rebuild.

An id holds the time of the build, so no two machines have the same. An image of this project has two labels
instead: its name, whose tag is a digest of its recipe, and a digest of the packages' versions, which only
the build shows: the name exists before the build, and results are filed under both.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PREFIX = "arena/"
# Label: the image's name by content.
NAME = "io.arena.name"
# Label: a digest of what `LIST_VERSIONS` prints in the image.
VERSIONS = "io.arena.versions"
LIST_VERSIONS = (
    "dpkg-query -W -f '${Package} ${Version} ${Architecture}\\n' | LC_ALL=C sort; "
    "cat /opt/arena/absent /opt/arena/sources/*.version 2>/dev/null; true"
)
# Where an engine looks for a name without a registry: Docker in the first three, Podman names the last.
REGISTRIES = ("docker.io/", "index.docker.io/", "registry-1.docker.io/", "localhost/")
BY_CONTENT = re.compile(r".+:[0-9a-f]{16,64}(-[a-z]+)?")


@dataclass(frozen=True)
class ImageContent:
    """How an image is built, and which versions resulted.

    recipe: its name by content; of another's image its id, which whoever pulls it has as well.
    versions: digest of its packages' versions; "" for another's image, whose id covers them.
    """

    recipe: str
    versions: str = ""

    @property
    def digest(self) -> str:
        """What results that depend on the image are filed under."""
        if not self.versions:
            return self.recipe
        return hashlib.sha256(f"{self.recipe} {self.versions}".encode()).hexdigest()


def has_name_by_content(name: str) -> bool:
    """Whether a name's tag is a digest."""
    return bool(BY_CONTENT.fullmatch(name))


def is_own_name(name: str) -> bool:
    """Whether an image of that name can only be built here: no registry has it, whatever it serves."""
    for registry in REGISTRIES:
        name = name.removeprefix(registry)
    return name.startswith(PREFIX)


def content_of(attributes: Mapping[str, Any]) -> ImageContent:
    """The content of an image, from the engine's description of it (`docker image inspect`).

    An image that somebody builds FROM an image of this project has its labels too: they count only where
    the engine has this very image under that name.
    """
    labels = (attributes.get("Config") or {}).get("Labels") or {}
    name = str(labels.get(NAME, ""))
    names = {str(tag).removeprefix("localhost/") for tag in attributes.get("RepoTags") or ()}
    if has_name_by_content(name) and name in names:
        return ImageContent(name, str(labels.get(VERSIONS, "")))
    return ImageContent(str(attributes["Id"]))
