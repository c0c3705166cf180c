"""Oracles: each judges one thing of what was seen. One file an oracle, with its own examples.

`_oracle.py` says what an oracle is; `registry.lookup("arena.tracks.dual.oracles", "returns")` finds one.
"""
