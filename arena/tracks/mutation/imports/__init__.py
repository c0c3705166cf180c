"""Datasets of others as packs: each file is a command `arena tasks import NAME`."""
