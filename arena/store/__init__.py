"""Runs, attempts, verdicts and artefacts, in storage that survives a killed process. See `docs/store.md`.

- `store.py`      the `Store`: every question and every change
- `model.py`      what it holds, as plain data;  `provenance.py`: on what an attempt and its label rest
- `location.py`   where it is: a folder or a URL;  `notes.py`: where its artefacts are
- `database.py`   connections and transactions;  `faults.py`: what can be wrong with them
- `tables.py`     the tables;  `schema.py`, `migrations/`: their versions
- `writing.py`, `queries.py`  writes and reads of many attempts at a time;  `whole.py`: whole runs
- `search.py`     full-text search over trajectories
- `lease.py`      a lock that admits a single driver per run
- `artefacts.py`  blobs by SHA-256, written whole or not at all
- `solutions.py`  what an agent left, to digests and back
- `patient.py`    the same `Store`, which waits while its database or artefacts are not reachable
- `records.py`    records of attempts, by what a user calls them
"""
