"""Benchmarks of others as packs of the track, each a command `arena tasks import NAME`."""
