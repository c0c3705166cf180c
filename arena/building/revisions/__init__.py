"""Revisions of a case's repository: build any of them in a sandbox once, replay the PoC, observe.

- `objects.py`   git's object store, read without touching the user's repository
- `source.py`    the files of a revision (submodules and carried files too) as a tar archive
- `cache.py`     the compiler cache that builds of a project share
- `builder.py`   a revision -> a snapshot with it built, created once
- `replayer.py`  a snapshot and a PoC -> clean, crash or unclear
- `witness.py`   all of it for a case: commit -> `szz.observation.Observation`
"""
