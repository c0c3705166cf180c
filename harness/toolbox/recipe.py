"""How a program is installed, and what a toolbox has to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Python:
    """Packages for an interpreter of their own. `versions`: the minor versions that do, best first."""

    packages: tuple[str, ...]
    versions: tuple[str, ...] = ("3.11", "3.12")
    source: str = ""
    """Set where a source tree is wanted that no index has: what to give `--source`, in words."""


@dataclass(frozen=True)
class NodeRecipe:
    """Packages of npm. Programs that are native need no node; `node` says whether these do."""

    packages: tuple[str, ...]
    node: bool = False


Recipe = Python | NodeRecipe


class Installable(Protocol):
    """What has a toolbox of its own."""

    name: str
    version: str
    recipe: Recipe
