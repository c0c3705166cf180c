"""The judge: a model's verdict on a test whose task requests it, after DualGauge's Algorithm 2.

- `symbols.py`    which names a candidate uses
- `local_docs.py` documentation of a name from packages on this machine, read without importing them
- `gaps.py`       names that the judge does not recognise, and a stronger model's explanation of them
- `rendering.py`  the observation, as text for a prompt
- `judge.py`      the question, the strict reading of the verdict

A verdict is labelled (`OracleResult.judge`). Every answer is stored by content, so that the same
test of the same candidate is judged once. Agreement with deterministic oracles:
`arena/tracks/dual/validation.py`.
"""
