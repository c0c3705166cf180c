"""Sandboxes in a container engine that speaks Docker's API (Docker, or Podman through its socket)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.command import Limits, Mount
from harness.sandbox import owner
from harness.sandbox.base import EngineUnavailable, ImageMissing
from harness.sandbox.container import DockerSandbox
from harness.sandbox.engine import EngineFeatures, connect, engine_faults, means_of
from images.content import ImageContent, content_of, is_own_name

if TYPE_CHECKING:
    import docker

NO_FILTER = (
    "the engine takes no filter of system calls: code under test may trace processes of its user"
)
NO_KEEPER = (
    "the engine has but one user: code under test may end its sandbox, trace and forge what runs it"
)

NOT_PULLED = (
    "image {image!r} is not here, and no image named arena/ is ever pulled: anybody may own that name in a "
    "registry. `arena tasks build CASE --out PACK` makes it from its case's recipe (docs/cases.md)"
)


class DockerBackend:
    """The container engine at `DOCKER_HOST`, Docker's socket, or Podman's."""

    name = "docker"
    isolates_model_output = True

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        self.say = say
        self._left: set[str] = set()  # containers that may be there still
        self._ensured: dict[str, str] = {}  # images of ours: name -> identity
        self._contents: dict[str, ImageContent] = {}  # by identity

    @cached_property
    def client(self) -> docker.DockerClient:
        return connect()

    @cached_property
    def _means(self) -> EngineFeatures:
        with engine_faults():
            return means_of(self.client)

    def lacks(self) -> Sequence[str]:
        features = {NO_FILTER: self._means.filters, NO_KEEPER: self._means.switches}
        return [line for line, there in features.items() if not there]

    def available(self) -> str:
        try:
            with engine_faults():
                self.client.ping()
        except EngineUnavailable as error:
            if host := os.environ.get("DOCKER_HOST"):
                return (
                    f"{error}; DOCKER_HOST is set to {host!r}: unset it, or start the engine there"
                )
            return f"{error}; install it (apt-get install docker.io) and start dockerd"
        return ""

    def not_isolated(self) -> Sequence[str]:
        return ("the kernel is shared with the host: a kernel exploit escapes a container",)

    def resolve(self, image: str, packages: Sequence[str] = ()) -> str:
        from images.bootstrap import ImageError
        from images.builder import Builder

        if packages:
            try:
                with engine_faults():
                    builder = Builder(self.client, self.say)
                    return builder.with_packages(self.resolve(image), packages)
            except ImageError as error:
                raise ImageMissing(str(error)) from error
        if (ensured := self._ensured.get(image)) and self.find(
            ensured
        ):  # nobody has removed it since
            return ensured
        builder = Builder(self.client, self.say)
        with engine_faults():
            if not builder.knows(image):
                return self._present_or_pulled(image)
            try:
                self._ensured[image] = builder.ensure(image)
            except ImageError as error:
                raise ImageMissing(str(error)) from error
        return self._ensured[image]

    def _present_or_pulled(self, image: str) -> str:
        import docker.errors

        try:
            return str(self.client.images.get(image).id)
        except docker.errors.ImageNotFound:
            if is_own_name(image):
                raise ImageMissing(NOT_PULLED.format(image=image)) from None
            self.say(f"image {image} is not here; pulling it")
        try:
            return str(self.client.images.pull(image).id)
        except docker.errors.APIError as error:
            why = f"image {image!r} is not here and cannot be pulled: {error.explanation}"
            raise ImageMissing(why) from error

    def content_of(self, image: str) -> ImageContent:
        import docker.errors

        if image not in self._contents:
            with engine_faults():
                try:
                    attributes = self.client.images.get(image).attrs
                except docker.errors.ImageNotFound as error:
                    raise ImageMissing(f"image {image!r} was removed") from error
            self._contents[image] = content_of(attributes)
        return self._contents[image]

    def find(self, name: str) -> str | None:
        import docker.errors

        with engine_faults():
            try:
                return str(self.client.images.get(name).id)
            except docker.errors.ImageNotFound:
                return None

    def size(self, image: str) -> int | None:
        """Bytes of an image that is here, its layers and those of its base together; None where it is not."""
        from images.builder import Builder

        builder = Builder(self.client, self.say)
        with engine_faults():
            named = builder.find(image) if builder.knows(image) else image
            image_id = self.find(named) if named else None
            return int(self.client.images.get(image_id).attrs["Size"]) if image_id else None

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> DockerSandbox:
        # Here the engine is back: what it may have created while its answer was lost goes first.
        self._remove_left()
        return DockerSandbox(self.client, image, limits, mounts, self._left, self._means)

    def clean(self, everything: bool = False) -> list[str]:
        mine = {"label": f"{owner.LABEL}=1"}
        boxes = mine if everything else {"label": f"{owner.KIND}=sandbox"}  # none started by hand
        with engine_faults():
            removed = [
                f"container {container['Id'][:12]}"
                for container in self.client.api.containers(all=True, filters=boxes)
                if (everything or _is_left(container)) and self._remove_container(container["Id"])
            ]
            for image in self.client.images.list(filters=mine) if everything else []:
                removed.append(f"image {(image.tags or [image.short_id])[0]}")
                self.client.images.remove(str(image.id), force=True)
        return removed

    def _remove_left(self) -> None:
        for container in tuple(self._left):
            with engine_faults():
                self._remove_container(container)
            self._left.discard(container)

    def _remove_container(self, container: str) -> bool:
        """Remove a container; False when somebody else is removing it, or has."""
        import docker.errors

        try:
            # `v=True`: anonymous volumes of an image would otherwise stay on the disk for ever.
            self.client.api.remove_container(container, force=True, v=True)
        except docker.errors.APIError as error:
            if error.status_code in (404, 409):
                return False
            raise
        return True


def _is_left(container: Mapping[str, Any]) -> bool:
    """Whether a container's owner is dead. An owner of a former boot is dead where its container has stopped,
    as it has when this machine was restarted: a container that is up, or about to be, is another machine's.
    """
    named = container["Labels"].get(owner.OWNER, "")
    up = container["State"] in ("created", "running", "restarting", "paused")
    return not owner.alive(named) and not (up and owner.is_of_another_boot(named))


PLUGIN: Any = DockerBackend
