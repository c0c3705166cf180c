"""One patch of one task in, one verdict with its evidence out.

- `grader.py`       the order of the steps: apply, build, tests, poc, sast
- `verdict.py`      labels, health, evidence · `version.py` the comparability version
- `environment.py`  the repository at PVIC with everything compiled, made once
- `reference.py`   gold's outcomes, taken once · `outcomes.py` those that ship with a pack
- `oracle.py`       what is put back in gold's state
- `apply.py`, `building.py`, `testing.py`, `attack.py`, `sast/`   one step each
- `ports.py`        what the grader needs from a store
"""
