"""Runs, attempts, verdicts and artefacts, in a place that survives being killed. See `docs/store.md`.

- `store.py`      the `Store`: what is asked of it
- `model.py`      what it holds, as plain data;  `provenance.py`: on what an attempt and its label rest
- `location.py`   where it is: a folder or a URL;  `notes.py`: where its artefacts are
- `database.py`   connections and transactions;  `faults.py`: what can be wrong with them
- `tables.py`     the tables;  `schema.py`, `migrations/`: their versions
- `writing.py`, `queries.py`  writes and questions, many attempts at a time;  `whole.py`: whole runs
- `search.py`     full-text search over trajectories
- `lease.py`      one driver a run
- `artefacts.py`  blobs by SHA-256, written whole or not at all
- `solutions.py`  what an agent left, to digests and back
- `patient.py`    the same `Store`, which waits while its place is away
- `records.py`    records of attempts, by what a user calls them
"""
