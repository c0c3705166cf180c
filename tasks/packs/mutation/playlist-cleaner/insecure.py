from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class User:
    id: int
    is_active: bool = True


@dataclass
class Playlist:
    owner_id: int
    tracks: list[str]
    helper_ids: set[int] = field(default_factory=set)


def remove_track(playlist: Playlist, user: User | None, position: int) -> str:
    if not 0 <= position < len(playlist.tracks):
        raise IndexError(f"no track {position}")
    return playlist.tracks.pop(position)
