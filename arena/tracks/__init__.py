"""What is particular to each track, one package a track, and what several of them use.

A track is a package with `labels.py` (its `VOCABULARY`: see `arena/vocabulary.py`) and `track.py` (its class
`TRACK`, an `arena.protocols.Track`, and `open_track`). Files of its `studies/` are the commands
`arena study NAME`, those of `imports/` are `arena tasks import NAME`.

- `opening.py`     finding a track by its name or by a pack
- `choices.py`     columns of a matrix and options, as a user chose them
- `direct.py`      the agent `direct`: one completion is one attempt
- `lazy.py`        what a track holds open until it is closed
- `backend.py`     the sandbox backend and the scanner that a user named
- `evidence.py`    what the evidence of verdicts has in common
- `completion.py`  many completions of a model, each kept in the store
- `completion_session.py`  one model, request by request
- `blocks.py`      a reply -> the pieces of code in it; `fences.py`, `wrapped.py`: between fences, and in JSON
- `thoughts.py`    a reply -> the answer in it, without thoughts; `thought_marks.py`: how these are marked
- `counter_examples.py`  blocks that a reply shows as what not to do
- `passing.py`     faults of the machine that may pass, and trying again
- `pool.py`        many at a time, in threads
"""
