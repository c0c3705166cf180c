"""What makes sandboxes, and the faults that are never an agent's: health `infra`, no label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from harness.command import Limits, Mount
from harness.protocols import Sandbox

if TYPE_CHECKING:  # runners that need no image start faster
    from images.content import ImageContent


class SandboxFault(Exception):
    """Something that is not the fault of what runs inside: always health `infra`, never a label.

    usage: what an agent's model had cost by then, by the gateway's ledger.
    """

    usage: Mapping[str, Any] = MappingProxyType({})


class EngineUnavailable(SandboxFault):
    """The container engine (or the tool that isolates) cannot be reached, or was lost."""


class ImageMissing(SandboxFault):
    """The image that an environment names is neither here nor to be had."""


class SandboxDied(SandboxFault):
    """The sandbox ended under a running command although none of our limits ended it."""


class SandboxSpoilt(SandboxDied):
    """The sandbox does not work as it should, and nothing shows that the machine is at fault.

    What ran inside may have done it: it has if the same comes every time, see `harness.grade.decide`.
    """


class SandboxEnded(SandboxSpoilt):
    """Its first process ended by itself: nobody outside killed it, the engine answers, memory was enough.

    output: what the command had written by then. No machine does that, so it is what ran inside that did.
    """

    def __init__(self, message: str, output: bytes = b"") -> None:
        super().__init__(message)
        self.output = output


class SandboxRefused(Exception):
    """The sandbox does not isolate well enough for the request; a user has to decide."""


class Backend(Protocol):
    """Creates sandboxes of a kind and stores their images."""

    name: str
    isolates_model_output: bool

    def available(self) -> str:
        """Empty when it can be used here; else a line that says what is missing and how to get it."""
        ...

    def not_isolated(self) -> Sequence[str]:
        """What it does *not* protect from, a line each."""
        ...

    def lacks(self) -> Sequence[str]:
        """Defences that its kind has and that are missing here, a line each."""
        ...

    def resolve(self, image: str, packages: Sequence[str] = ()) -> str:
        """Identity of an image by the name a task uses, built or pulled when it must be: to run it here.

        packages: Debian's, to be installed on it. Raises ImageMissing, also for what is named `arena/` and
        cannot be built: no registry is contacted for that.
        """
        ...

    def content_of(self, image: str) -> ImageContent:
        """An image's content as a digest, the same on every machine: results are filed under it.

        image: an identity from `resolve`.
        """
        ...

    def find(self, name: str) -> str | None:
        """Identity of an earlier snapshot, or None."""
        ...

    def create(self, image: str, limits: Limits, mounts: Sequence[Mount] = ()) -> Sandbox: ...

    def clean(self, everything: bool = False) -> list[str]:
        """Remove what dead runs left behind (with `everything`: also images and snapshots)."""
        ...
