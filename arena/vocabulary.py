"""The labels of a track, in the order in which they are decided, and what each means."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from parsers.registry import UnknownName, directory, installed_plugins, load

TRACKS = "arena.tracks"


class Kind(StrEnum):
    """What a label means, independent of the track: it determines colour and position in figures."""

    NOTHING = "nothing"
    BROKEN = "broken"
    INCORRECT = "incorrect"
    VULNERABLE = "vulnerable"
    SUSPICIOUS = "suspicious"
    NEUTRAL = "neutral"
    GOOD = "good"


@dataclass(frozen=True)
class Meaning:
    """One label in a few words. rare: shown only where an attempt has it."""

    label: str
    meaning: str
    kind: Kind
    rare: bool = False


@dataclass(frozen=True)
class HeadScore:
    """A score of the track's paper that stands beside the rates: where `Track.metrics` has it in a column."""

    name: str
    path: tuple[str, ...]
    scale: float = 1.0


@dataclass(frozen=True)
class Vocabulary:
    """The labels of a track; `score` describes an attempt's score (0 to 1), "" for none.

    heads: the scores of its paper that tables of all tracks show.

    calibration: agents that submit what ships with a task (each with any `:NAME` after it): they check the
    track, and are not compared.
    reference: the one whose answers work. takes: whether a file, or a folder without `pack.toml`, is
    a benchmark that the track reads as it is. patches: attempts leave patches of a repository.
    """

    track: str
    meanings: tuple[Meaning, ...]
    score: str = ""
    calibration: tuple[str, ...] = ()
    reference: str = ""
    takes: Callable[[Path], bool] = lambda path: False
    patches: bool = False
    heads: tuple[HeadScore, ...] = ()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(meaning.label for meaning in self.meanings)

    def shown(self, seen: Collection[str]) -> tuple[Meaning, ...]:
        """What tables show where attempts have the labels `seen`: all that is not rare, and these."""
        return tuple(
            meaning for meaning in self.meanings if not meaning.rare or meaning.label in seen
        )

    @cached_property
    def good(self) -> frozenset[str]:
        """The labels that an attempt should have."""
        return frozenset(meaning.label for meaning in self.meanings if meaning.kind is Kind.GOOD)

    def good_name(self, seen: Collection[str]) -> str:
        """The one good label that tables show where attempts have the labels `seen`; "good" for several."""
        shown = [meaning.label for meaning in self.shown(seen) if meaning.kind is Kind.GOOD]
        return shown[0] if len(shown) == 1 else "good"

    @cached_property
    def vulnerable(self) -> frozenset[str]:
        return frozenset(
            meaning.label for meaning in self.meanings if meaning.kind is Kind.VULNERABLE
        )

    def calibrates(self, agent: str) -> bool:
        """Whether the agent is for calibration."""
        return agent.partition(":")[0] in self.calibration

    def kind(self, label: str) -> Kind:
        """Raises KeyError for a label of another track."""
        return {meaning.label: meaning.kind for meaning in self.meanings}[label]


def tracks() -> list[str]:
    """The names of all tracks, sorted: the folders of `arena/tracks`, and what is installed beside them."""
    return sorted({*_list_own_tracks(), *installed_plugins(TRACKS)})


def import_from_track(track: str, module: str) -> Any:
    """`MODULE.py` of a track's package. Raises ValueError for an unknown track, UnknownName for a broken one.

    Only of what is installed here: the name may come from a run that was made elsewhere.
    """
    if track not in tracks():
        raise ValueError(f"track {track!r} is unknown; known: {', '.join(tracks())}")
    name = f"{find_track_package(track)}.{module}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise UnknownName(f"track {track!r} lacks {name}; see docs/extending.md") from error


def find_track_package(track: str) -> str:
    """The dotted name of a track's package. Raises UnknownName where an installed one cannot be imported."""
    entry = installed_plugins(TRACKS).get(track)
    if entry is None or track in _list_own_tracks():
        return f"{TRACKS}.{track}"
    package: str = load(entry).__name__
    return package


def _list_own_tracks() -> list[str]:
    folder = str(directory(TRACKS))
    return [module.name for module in pkgutil.iter_modules([folder]) if module.ispkg]


def vocabulary(track: str) -> Vocabulary:
    """The vocabulary of a track. Raises ValueError with the known ones."""
    result: Vocabulary = import_from_track(track, "labels").VOCABULARY
    return result


def vocabulary_or_bare(track: str) -> Vocabulary:
    """The vocabulary of a track; of one that this version does not have, nothing is known but its name.

    A store may hold a run of such a track, imported or of a newer version: it must be no harm to the others.
    """
    return vocabulary(track) if track in tracks() else Vocabulary(track, ())
