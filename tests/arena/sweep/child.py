"""A driver as a process of its own: `python -m tests.arena.sweep.child STORE RUN LOG SECONDS WORKERS [PATIENCE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from arena.jobs import Capacity
from arena.protocols import Setup
from arena.store.patient import PatientStore
from arena.sweep.drive import drive
from arena.sweep.engines.local import LocalEngine
from tests.arena.sweep.ray_track import Sleeping


def main(place: str, run: str, log: str, seconds: float, workers: int, patience: float) -> None:
    store = PatientStore(place, patience)
    options = {"log": str(Path(log)), "seconds": seconds}
    setup = Setup("tests.arena.sweep.ray_track:open_track", "pack", options=options)
    track = Sleeping(setup, store)
    engine = LocalEngine(track, store)
    ending = drive(store, run, setup, engine, Capacity(workers, workers), track.needs)
    print(ending.why)


if __name__ == "__main__":
    place, run, log, seconds, workers, *rest = sys.argv[1:]
    main(place, run, log, float(seconds), int(workers), float(rest[0]) if rest else 60.0)
