"""The 25 mutation operators of SecMutBench (Section 3.2, Table 2), one file each, found by file name.

A file's `PLUGIN` is an `Operator` (see `_operator.py`) and carries its own examples.
"""
