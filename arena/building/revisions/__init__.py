"""Revisions of a case's repository: build any of them in a sandbox once, replay the PoC, observe.

- `objects.py`   git's object store, read without touching the user's repository
- `source.py`    one revision's files (submodules and carried files too) as a tar archive
- `cache.py`     the compiler cache that builds of one project share
- `builder.py`   a revision -> a snapshot with it built, made once
- `replayer.py`  a snapshot and a PoC -> clean, crash or unclear
- `witness.py`   all of it for one case: commit -> `szz.observation.Observation`
"""
