"""The track of a pack, opened once in this process and closed at its end."""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import cast

from arena.protocols import Setup
from arena.store.patient import PatientStore
from arena.tracks.opening import open_track, track_of
from arena.tracks.repo.track import RepoTrack
from harness.sandbox.base import SandboxRefused


@lru_cache
def open_pack(pack: str, sandbox: str) -> RepoTrack:
    """Raises ValueError for a pack of another track, SandboxRefused, and what `open_track` raises."""
    # Before the track is opened: any other would be opened in vain.
    if (name := track_of(pack)) != "repo":
        raise ValueError(f"pack {pack}: of the track {name}; only tasks of repo run in Inspect")
    track = cast("RepoTrack", open_track(Setup("repo", pack, sandbox), PatientStore(None)))
    # All tasks and samples of this process share the track, so none of them can close it.
    atexit.register(track.close)
    backend = track.grader.backend
    if not backend.isolates_model_output:
        raise SandboxRefused(
            f"a solver runs what a model writes, and the {backend.name} sandbox does not isolate enough for "
            f"that ({backend.not_isolated()[0]}): sandbox=docker"
        )
    return track
