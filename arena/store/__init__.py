"""Runs, attempts, verdicts and artefacts, in one folder that survives being killed.

- `store.py`      the `Store`: SQLite through SQLAlchemy, and what is asked of it
- `tables.py`     its tables
- `artefacts.py`  blobs by SHA-256, written atomically
"""
