"""Rewritings that keep a program's behaviour, a file each; `PLUGIN` is a `_rewriting.Rewriting`.

Each carries examples, which a parametrised test runs.
"""
