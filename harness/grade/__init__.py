"""Grades a patch of a task: a verdict with its evidence.

- `grader.py`       the order of the steps · `steps/` a file each
- `decide.py`       the causes and the table of their labels: the only place where a label is decided
- `verdict.py`      labels and health · `evidence.py` what each step leaves · `version.py` the grader version
- `environment.py`  the repository at PVIC with everything compiled, built once
- `reference.py`    gold's outcomes, taken once · `outcomes.py` those that ship with a pack
- `fixed_program.py` outcomes of the fixed program
- `oracle.py`       the files that are restored to gold's state
- `apply.py`, `building.py`, `testing.py`, `attack.py`, `sast/`   what the steps use
- `neighbours.py`   inputs near the PoC · `control.py` an error that must be reported · `variants.py` builds
- `other_values.py` the tests with replaced words, of which a few have to fail
- `bounded.py`      readers of hostile text, in processes with limits, and the label at a limit; they are in
  `candidate.py` (a patch), `build_files.py`, `expansions.py` (preprocessed tests), `symbols.py`,
  `suite_reports.py` and `crash_reports.py`
- `filtering.py`    what a suite prints, turned into a report away from the patch's code
- `buildable.py`    what is built and tested: a task, or a project of `arena gate`
- `ports.py`        what the grader needs from a store
"""
