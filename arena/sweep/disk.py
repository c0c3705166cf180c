"""Images and disk space that the tasks of a sweep need, and which of them are already on this machine.

Nothing is built or pulled to find out. What is here is measured. What is not here is estimated: a base image
by BASE, an environment by the mean of those of the same sweep that are here, or by ENVIRONMENT where none is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Protocol

from arena.store.model import TaskFacts

BASE = 1 << 30
ENVIRONMENT = 64 << 20
# Tasks per base image whose environments are looked up; the others count with their mean.
LOOKED = 200


class ImageSizes(Protocol):
    """The sizes of images that a sandbox backend stores."""

    def size(self, image: str) -> int | None:
        """Bytes of an image or a snapshot that is here, shared layers included; None where it is not."""
        ...


@dataclass(frozen=True)
class ImageNeed:
    """A base image with the environments that start from it. Sizes in bytes; `base` is None if not here.

    environments: their number, a task each; here: how many of those checked are here; more: what all
    environments add to the base; estimated: whether a size is a guess.
    """

    image: str
    base: int | None
    environments: int
    here: int
    more: int
    estimated: bool

    @property
    def bytes(self) -> int:
        return (BASE if self.base is None else self.base) + self.more

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "bytes": self.bytes}


def image_needs(
    tasks: Iterable[TaskFacts], environment: Callable[[str], str], images: ImageSizes
) -> list[ImageNeed]:
    """The images that the tasks need; tasks without an image need nothing.

    environment: task -> the name of its environment; called only where the base image is here. Raises a
    SandboxFault when the container engine does not answer.
    """
    by_image: defaultdict[str, list[str]] = defaultdict(list)
    for fact in tasks:
        if fact.image:
            by_image[fact.image].append(fact.task)
    bases = {image: images.size(image) for image in by_image}
    needs = {
        image: _measure_environments(by_image[image][:LOOKED], base, environment, images)
        for image, base in bases.items()
    }
    typical = _mean_size([size for sizes in needs.values() for size in sizes])
    return [
        _estimate_need(image, bases[image], len(names), needs[image], typical)
        for image, names in sorted(by_image.items())
    ]


def _measure_environments(
    tasks: list[str], base: int | None, environment: Callable[[str], str], images: ImageSizes
) -> list[int]:
    """Bytes that each environment that is here adds to its base; [] where the base is not here."""
    if base is None:
        return []
    sizes = (images.size(environment(task)) for task in tasks)
    # Sizes include shared layers; a base that was rebuilt since may be larger than an old environment.
    return [max(0, size - base) for size in sizes if size is not None]


def _mean_size(sizes: list[int]) -> int:
    return round(fmean(sizes)) if sizes else ENVIRONMENT


def _estimate_need(
    image: str, base: int | None, environments: int, present_sizes: list[int], typical: int
) -> ImageNeed:
    missing = environments - len(present_sizes)
    more = sum(present_sizes) + missing * (_mean_size(present_sizes) if present_sizes else typical)
    return ImageNeed(
        image, base, environments, len(present_sizes), more, base is None or missing > 0
    )
