"""The parts of what is told of one attempt (`arena/report/detail.py` puts them together).

- `bounds.py`   foreign values made bounded and plain: texts, trees, numbers
- `changes.py`  the patch: its text, and where its files and hunks are
- `colours.py`  syntax colours of both
- `references.py`  gold and the fixed patch of its task
- `checks.py`   build, tests, crash and SAST
- `steps.py`    the trajectory, step by step with what it cost
- `texts.py`    its texts, for the search
- `calls.py`    a call of the model as it was made
- `others.py`   what tracks without a section of their own tell: tables, the rest of the evidence
"""
