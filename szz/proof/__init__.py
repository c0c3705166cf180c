"""The proof of an inducing commit by the PoC: three conditions, and a search where B-SZZ does not meet them.

`prove.py` (`prove`, start here) holds the strategy and `result.py` what comes out (`Proof`). `fixes.py`
picks the VFC of a list, `confirm.py` states the conditions, `bisect.py` narrows a line of history (where
to look next is in `probe.py`), `merges.py` goes into a merge that flips, `confidence.py` says how far a
find may be trusted. `witness.py` asks for each commit once, within a budget. `lineage.py` is what a
history must answer, `git_history.py` a git repository that does.
"""
