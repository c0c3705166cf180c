"""Adapters, one file a language: `PLUGIN(candidate, io, means)` gives a `Plan` or raises `Unusable`."""
