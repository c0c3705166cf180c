"""Security tests written by a model: its prompt, and what is taken out of its reply.

- `prompts.py`      the three prompts: `full`, `cwe-id`, `no-hint`
- `observables.py`  what the `full` prompt says about the mocks and asserting, area by area
- `modules.py`      what of a test module must go or change before it is run
- `source.py`       hostile source: parsed within bounds, edited by places
- `extraction.py`   a reply -> a test module and its state

Completions, and the pieces of code in a reply, are shared by tracks:
`arena/models/{completion,direct,blocks}.py`. Suites that somebody brings are read by
`arena.tracks.mutation.answers`.
"""
