"""Grades a patch of a task: a verdict with its evidence.

- `grader.py`       the order of the steps: apply, build, tests, poc, sast
- `verdict.py`      labels, health, evidence · `version.py` the comparability version
- `environment.py`  the repository at PVIC with everything compiled, built once
- `reference.py`   gold's outcomes, taken once · `outcomes.py` those that ship with a pack
- `oracle.py`       the files that are restored to gold's state
- `apply.py`, `building.py`, `testing.py`, `attack.py`, `sast/`   a step each
- `bounded.py`      readers of hostile text, in processes with limits, and the label at a limit; they are in
  `candidate.py` (a patch), `build_files.py`, `expansions.py` (preprocessed tests), `symbols.py`,
  `suite_reports.py` and `crash_reports.py`
- `filtering.py`    what a suite prints, turned into a report away from the patch's code
- `buildable.py`    what is built and tested: a task, or a project of `arena gate`
- `ports.py`        what the grader needs from a store
"""
