"""Variants of SZZ, a file each, looked up by name: `b-szz` is `b_szz.py`, which holds its PLUGIN."""
