"""The track `mutation`: do security tests kill security mutants, and for the right reason?

After SecMutBench (Mutation-Based Vulnerability Detection), with its metrics and its taxonomy of kills.

`operators/`, `mutants.py`, `normal*.py`, `bindings.py` what is mutated · `oracle/`, `proven.py` proofs ·
`answers.py`, `generate/`, `trivial.py` where suites come from · `score.py`, `scoring.py`, `verdicts.py` a
suite -> a verdict · `classify/`, `rewriting.py` why a mutant was killed · `results.py`, `lines.py`, `metrics.py`,
`intervals.py`, `summary.py`, `tables.py`, `figures.py` what is told of stored attempts ·
`check.py` the gate · `studies/` with `baselines.py`, `judge.py`, `agreement.py`, `contamination/` · `imports/`
"""
