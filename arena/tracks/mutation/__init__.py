"""The track `mutation`: do security tests kill security mutants, and for the right reason?

After SecMutBench (Mutation-Based Vulnerability Detection), with its metrics and its taxonomy of kills.

`operators/`, `mutants.py`, `normal*.py`, `bindings.py` what is mutated · `oracle/`, `proven.py` proofs ·
`score.py`, `suites.py`, `trivial.py` runs · `classify/`, `rewriting.py` why a mutant was killed ·
`results.py`, `metrics.py`, `intervals.py`, `views.py`, `figures.py`, `page.py`, `baselines.py` what is told ·
`generate/` tests from a model · `judge.py`, `agreement.py` · `contamination/` · `check.py` the gate.
"""
