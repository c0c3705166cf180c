"""The scorer's version: it goes up when a change can alter verdicts; the changelog says which."""

SCORER = 5
