"""What is particular to each track, one package a track, and what several of them use.

No track imports another: what they share about models is in `arena/models/`.

A track is a package with `labels.py` (its `VOCABULARY`: see `arena/vocabulary.py`) and `track.py` (its class
`TRACK`, an `arena.protocols.Track`, and `open_track`). Files of its `studies/` are the commands
`arena study NAME`, those of `imports/` are `arena tasks import NAME`.

- `opening.py`     finding a track by its name or by a pack
- `choices.py`     columns of a matrix and options, as a user chose them
- `backend.py`     the sandbox backend and the scanner that a user named
- `evidence.py`    what the evidence of verdicts has in common
- `passing.py`     faults of the machine that may pass, and trying again
- `pool.py`        many at a time, in threads
"""
