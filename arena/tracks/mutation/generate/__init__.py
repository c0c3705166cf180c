"""Security tests written by a model: what it is asked, what is taken out of its reply, and what it cost.

- `prompts.py`      the three prompts: `full`, `cwe-id`, `no-hint`
- `observables.py`  what the `full` prompt tells of the substitutes and of asserting, area by area
- `blocks.py`       a reply -> the pieces of code in it
- `modules.py`      what of a test module must go or change before it is run
- `source.py`       hostile source: parsed within bounds, edited by places
- `extraction.py`   a reply -> a test module and its state
- `asking.py`       one gateway for all questions, many at a time, each kept in the store
- `generation.py`   programs x samples -> rows of a JSONL file; goes on where it was stopped

Pre-generated tests are read by `arena.tracks.mutation.suites`.
"""
