"""Cases: vulnerabilities, each a folder `<id>/case.toml` in a case store, and their importers.

schema.py     the fields of `case.toml`, as checked models
loader.py     a case from disk, and what confirming it lacks
sharing.py    tables that cases share: the store's, each project's
store.py      a folder of cases: list, find, save
cloning.py    clones of the repositories that cases lack
importers/    a file for each kind of source (ARVO's JSON and SQLite, OSS-Fuzz reports, packs)
"""
