"""Rewritings that keep a program's behaviour, one file each; `PLUGIN` is a `_rewriting.Rewriting`.

Each carries examples, which one parametrised test runs.
"""
