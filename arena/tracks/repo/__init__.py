"""Track `repo` (SecureAgentBench): an agent edits a real repository as it stood before a vulnerability.

- `track.py`        attempts, solving and grading, metrics
- `predictions.py`  patches from elsewhere, in the shapes that SWE-bench users have
- `check.py`        what gates a task: gold CV, fixed C&S or CS, empty NO, nothing of the oracle in reach
"""
