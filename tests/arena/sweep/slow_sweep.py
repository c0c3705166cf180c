"""`python -m tests.arena.sweep.slow_sweep ARGUMENTS`: `arena` with attempts that take SECONDS each."""

from __future__ import annotations

import os
import sys
import time

from arena.cli import main as cli
from arena.tracks import opening as protocol
from tests.arena.sweep.matrix_track import BARE, MatrixTrack


def main() -> None:
    seconds = float(os.environ["SECONDS_OF_AN_ATTEMPT"])
    track = MatrixTrack(lambda key: time.sleep(seconds), BARE)
    protocol.open_track = lambda setup, cache, say=print: track
    sys.argv[0] = "arena"
    cli.main()


if __name__ == "__main__":
    main()
