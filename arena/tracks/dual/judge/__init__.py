"""The judge: a model's verdict on a test whose task asks for one, after DualGauge's Algorithm 2.

- `symbols.py`    which names a candidate uses
- `local_docs.py` what packages on this machine say of a name, read without importing them
- `gaps.py`       names that the judge does not know, and what a stronger model says of them
- `rendering.py`  what was seen, as text for a prompt
- `judge.py`      the question, the strict reading of the verdict

A verdict is labelled (`OracleResult.judge`). Every answer is kept in the store by content, so that the same
test of the same candidate is judged once. Agreement with deterministic oracles:
`arena/tracks/dual/validation.py`.
"""
