"""Oracles: each judges a single aspect of the observation. A file per oracle, with its examples.

`_oracle.py` defines an oracle; `registry.lookup("arena.tracks.dual.oracles", "returns")` looks up an oracle.
"""
