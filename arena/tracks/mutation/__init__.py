"""The track `mutation`: do security tests kill security mutants, and for the right reason?

After SecMutBench (Mutation-Based Vulnerability Detection), with its metrics and its taxonomy of kills.

- what is mutated: `operators/`, `mutants.py`, `normal*.py`, `bindings.py`; proofs: `oracle/`; which count:
  `counting.py`, `proven.py`
- where suites come from: `answers.py`, `generate/`, `trivial.py`
- a suite -> a verdict: `score.py`, `scoring.py`, `classify/`, `rewriting.py`, `results.py`, `verdicts.py`
- reports of stored attempts: `lines.py`, `metrics.py`, `intervals.py`,
  `summary.py`, `tables.py`, `figures.py`
- `check.py` the gate
- `studies/`, with `baselines.py`, `judge.py`, `agreement.py`, `contamination/` · `imports/`
"""
