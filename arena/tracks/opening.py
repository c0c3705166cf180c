"""Finding a track: by name, by the pack that is named, or by a dotted path of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from arena.protocols import Facts, Say, Setup, Track
from arena.report.grid import Figure, Table
from arena.store.model import Attempt
from arena.vocabulary import import_from_track, tracks, vocabulary
from harness.grade.ports import ResultCache
from parsers.registry import lookup
from tasks.loader import find_pack, load_spec


def track_class(name: str) -> type[Track]:
    """The class of a track, for what is static of it. Raises ValueError with the known ones."""
    return cast("type[Track]", import_from_track(name, "track").TRACK)


class BareTrack:
    """A track that this version does not have, or whose verdicts are another program's: it scores nothing."""

    @staticmethod
    def metrics(attempts: Sequence[Attempt], facts: Facts) -> dict[str, Any]:
        return {}

    @staticmethod
    def tables(attempts: Sequence[Attempt], facts: Facts) -> list[Table]:
        return []

    @staticmethod
    def figures(attempts: Sequence[Attempt], facts: Facts) -> list[Figure]:
        return []

    @staticmethod
    def compare(first: Sequence[Attempt], second: Sequence[Attempt], facts: Facts) -> list[Table]:
        return []


def track_class_or_bare(name: str) -> type[Track]:
    """The class of a track for its reports; of an unknown one `BareTrack` (see `vocabulary_or_bare`)."""
    return track_class(name) if name in tracks() else cast("type[Track]", BareTrack)


def open_track(setup: Setup, cache: ResultCache, say: Say = lambda text: None) -> Track:
    """The track of a setup: by name, or `package.module:function` for one of your own.

    Raises ValueError, TaskError, UnknownName, or a SandboxFault.
    """
    if ":" in setup.track:
        track_made: Track = lookup("arena.tracks", setup.track)(setup, cache, say)
        return track_made
    track: Track = import_from_track(setup.track, "track").open_track(setup, cache, say)
    return track


def track_of(pack: str) -> str:
    """The name of the track that a pack is of: as its `pack.toml` says, or whose other form it has.

    Raises TaskError for a pack that is not there, or is of no track.
    """
    other_track = other_form(pack)
    if not other_track:
        find_pack(pack)
    return other_track or load_spec(pack).track


def other_form(pack: str) -> str:
    """The track that reads this file or folder as it is, without a `pack.toml`; "" for none."""
    place = Path(pack)
    with suppress(OSError):  # such as a name that is too long for one
        if place.exists() and not (place / "pack.toml").is_file():
            return next((name for name in tracks() if vocabulary(name).takes(place)), "")
    return ""
