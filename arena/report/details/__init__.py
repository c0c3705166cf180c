"""The parts of the report on an attempt (`arena/report/detail.py` combines them).

- `bounds.py`   bounded, plain copies of foreign values: texts, trees, numbers
- `changes.py`  the patch: its text, and where its files and hunks are
- `colours.py`  syntax colours of both
- `references.py`  gold and the fixed patch of its task
- `checks.py`   build, tests, crash and SAST
- `steps.py`    the trajectory, step by step with what it cost
- `texts.py`    its texts, for the search
- `calls.py`    a call of the model: request and answer
- `others.py`   facts of tracks without a section here: tables, the rest of the evidence
"""
