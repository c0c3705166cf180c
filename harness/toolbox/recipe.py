"""How a program is installed, and what a toolbox has to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Source:
    """A tree that no index has.

    tag, paths: what of its repository is taken; package: the name that it is installed by.
    """

    # What to pass to `--source`, in words.
    description: str
    tag: str
    package: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Python:
    """Packages for a separate interpreter. `versions`: the minor versions that do, best first.

    lock: a file of requirements with hashes, those of `packages` and of all that they draw in, but for
    `without`: what no attempt imports and fills the disk, such as a browser.
    """

    packages: tuple[str, ...]
    versions: tuple[str, ...] = ("3.12", "3.11")
    source: Source | None = None
    lock: str = ""
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeRecipe:
    """Packages of npm. Programs that are native need no node; `node` says whether these do.

    lock: npm's `package-lock.json` for them.
    """

    packages: tuple[str, ...]
    node: bool = False
    lock: str = ""


Recipe = Python | NodeRecipe


class Installable(Protocol):
    """A program that is installed in a separate toolbox."""

    name: str
    version: str
    recipe: Recipe
