"""Adapters, a file per language: `PLUGIN(candidate, io, means)` returns a `Plan` or raises `Unusable`."""
