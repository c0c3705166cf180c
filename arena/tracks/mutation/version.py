"""The scorer's comparability version (law 9): it goes up when a change can alter kills or categories."""

from __future__ import annotations

# Kept with each result and part of each stored result's key; CHANGELOG.md says what no longer compares.
SCORER = 4
