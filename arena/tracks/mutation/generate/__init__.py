"""Security tests written by a model: what it is asked, what is taken out of its reply, and what it cost.

- `prompts.py`      the three prompts: `full`, `cwe-id`, `no-hint`
- `observables.py`  what the `full` prompt tells of the substitutes and of asserting, area by area
- `modules.py`      what of a test module must go or change before it is run
- `source.py`       hostile source: parsed within bounds, edited by places
- `extraction.py`   a reply -> a test module and its state
- `generation.py`   programs x samples -> rows of a JSONL file; goes on where it was stopped

Asking, and the pieces of code in a reply, are shared by tracks: `arena/tracks/{asking,blocks}.py`.
Pre-generated tests are read by `arena.tracks.mutation.suites`.
"""
