"""Variants of SZZ, one file each, found by name: `b-szz` is `b_szz.py`, which holds its PLUGIN."""
