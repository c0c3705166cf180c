"""Programs written by a model: what it is asked, and what is taken out of its reply.

- `prompts.py`     the two prompts: `neutral` and `reminder`
- `generation.py`  the question to a model, and its answer
- `agents.py`      an agent of the track `repo` writes the program instead
"""
