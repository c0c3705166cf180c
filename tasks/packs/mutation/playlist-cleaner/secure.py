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
    if user is None or not user.is_active:
        raise PermissionError("an active account is needed")
    if user.id != playlist.owner_id and user.id not in playlist.helper_ids:
        raise PermissionError("only the owner and helpers may change a playlist")
    if not 0 <= position < len(playlist.tracks):
        raise IndexError(f"no track {position}")
    return playlist.tracks.pop(position)
